/** Before all else of the page, and needing as little as can be: the emergency stop works whatever else does not load. */

import { byId } from "./dom.js";
import { Link } from "./link.js";
import { tab } from "./session.js";
import { EmergencyStop } from "./stop.js";
import { Store } from "./store.js";
import { spoken_language } from "./words.js";

const name = tab();

export const store = new Store();
export const link = new Link(() => {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/ws?lang=${spoken_language()}&tab=${name}`;
});
export const stop = new EmergencyStop(byId("stop"), link, store);
stop.show();
