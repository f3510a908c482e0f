/** What outlives a reload: cookies of the session, and this tab's own name. */

export function cookie(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found === undefined ? null : decodeURIComponent(found.slice(name.length + 1));
}

export function set_cookie(name, value) {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; SameSite=Strict`;
}

/** This tab's name: the same after a reload, another in every other tab. */
export function tab() {
  // A duplicated tab copies the store: the name is in it only while its page is gone.
  const kept = sessionStorage.getItem("tab");
  sessionStorage.removeItem("tab");
  const name = kept ?? [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");
  addEventListener("pagehide", () => sessionStorage.setItem("tab", name));
  addEventListener("pageshow", () => sessionStorage.removeItem("tab"));
  return name;
}

async function asked(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    return { why: null };
  }
  const said = await answer.json().catch(() => ({}));
  return answer.ok ? { ok: true, ...said } : { why: said.why ?? String(answer.status), cure: said.cure ?? "" };
}

/** Each answers `{ok: true, ...}` or `{why, cure}`; `why` is null when the server was not reached. */
export const be_marshal = (pin) => asked("POST", "/api/session", { pin });
export const use_code = (code) => asked("POST", "/api/session", { code });
export const give_up_role = () => asked("DELETE", "/api/session");
export const driver_code = (locomotive) => asked("POST", "/api/driver-codes", { locomotive });

/** Stops everything without the websocket. */
export const stop_by_post = (fields) => asked("POST", "/api/emergency-stop", fields);

/** The one-time code in the address, which leaves the address at once. */
export function code_in_address() {
  const found = /^#driver=([\w-]+)$/.exec(location.hash);
  if (found) history.replaceState(null, "", location.pathname + location.search);
  return found ? found[1] : null;
}
