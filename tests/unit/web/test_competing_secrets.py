"""What a competition's routes give away, and to whom, while others still have to play a heat."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import httpx
import pytest
from halls import AT, BY_PIN, CODE, FINAL, Browser, held
from printed import Printed

pytestmark = pytest.mark.usefixtures("solver_cache")
BY_PAR = {**FINAL, "scheme": "par-ratio"}


async def played(browser: Browser, entrant: str) -> str:
    """An attempt with twelve runs in a minute."""
    name = str((await browser.done("call", round="r1", entrant=entrant))["attempt"])
    for deed in ("set-up", "start"):
        await browser.done(deed, attempt=name)
    await browser.done("end", attempt=name, outcome="finished", at_ms=0, counts={"runs": 12})
    return name


async def got(browser: Browser, path: str, **options: str) -> httpx.Response:
    """A document."""
    answer = await browser.http.get(f"{AT}/{path}", params=options, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer


async def table(browser: Browser, **options: str) -> list[dict[str, str]]:
    """A table for a spreadsheet, in English."""
    answer = await got(browser, "export.csv", lang="en", **options)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def text_of(paper: httpx.Response) -> str:
    """What stands on a paper."""
    assert paper.headers["content-type"] == "application/pdf"
    return " ".join(Printed.of(paper.content).text.split())


PAPERS = ("rounds/r1/results.pdf", "entrants/anna/certificate.pdf")


async def test_a_par_is_given_away_by_nothing_before_the_heat_is_over(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal, house.browser() as nobody:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        await marshal.done("enter", name="Anna")
        await marshal.done("enter", name="Bert")
        await marshal.done("announce", plan=BY_PAR, code=CODE)
        assert (await nobody.view())["head"] == (await marshal.view())["head"], "nothing is open"
        await marshal.done("open-heat", round="r1", code=CODE)
        token = (await marshal.done("give-token", name="tablet", scope="mark", hours=4))["token"]
        async with house.helper(token) as tablet:
            name = await played(tablet, "anna")
            par = (await marshal.attempt(name))["par"]
            score = (await marshal.attempt(name))["score"]
            assert score.startswith(f"{1200 / par:.2f}".rstrip("0").rstrip("."))
            number = score.removesuffix(" %")
            for who in (nobody, tablet):
                view = await who.view()
                assert view["head"]["hash"] is None, "cards could be tried out against it"
                row, attempt = view["rounds"][0]["standing"]["rows"][0], view["attempts"][0]
                assert (row["entrant"], row["rank"], row["text"], row["title"]) == ("anna", 1, "finished", "")
                assert (row["attempts"][0]["text"], attempt["score"]) == ("finished", "finished")
                assert (row["rank_certain"], attempt["marks"]["runs"]["value"]) == (False, 12)
                assert (await table(who))[0]["result"] == (await table(who, table="attempts"))[0]["score"] == ""
            for paper in PAPERS:
                assert number not in text_of(await got(nobody, paper, lang="en"))
            assert f"{number} %" in text_of(await got(marshal, "results.pdf", lang="en"))
            assert (await table(marshal))[0]["result"] == number
            await played(tablet, "bert")
        over = await nobody.view()
        assert over["head"]["hash"] == house.hall.book.head.hash
        assert over["rounds"][0]["standing"]["rows"][0]["text"] == score
        assert over["attempts"][0]["par"] == par
        assert f"{number} %" in text_of(await got(nobody, PAPERS[-1], lang="en"))


async def test_set_up_and_doubts_that_tell_a_par_wait_for_the_heat(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal, house.browser() as nobody:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        await marshal.done("enter", name="Anna")
        await marshal.done("enter", name="Bert")
        await marshal.done("announce", plan=FINAL, code=CODE)
        missing = await marshal.http.get(f"{AT}/rounds/r1/set-up/1")
        assert (missing.status_code, missing.json()["cure"]) == (422, "open it first")
        await marshal.done("open-heat", round="r1", code=CODE)
        known = (await got(marshal, "rounds/r1/set-up/1")).json()
        assert known["position"].startswith("head:")
        name = await played(marshal, "anna")
        for path in ("rounds/r1/set-up/1", f"attempts/{name}/replay"):
            answer = await nobody.http.get(f"{AT}/{path}", params={"lang": "fr"})
            assert (answer.status_code, answer.json()["why"]) == (403, "d'autres doivent encore jouer cette série")
        marks = {**(await marshal.attempt(name))["marks"], "runs": {"value": 1, "origin": "entered by a person"}}
        await marshal.done("correct", attempt=name, marks=marks, why="a slip of the pen")
        kinds = [[one["kind"] for one in (await who.view())["doubts"]] for who in (marshal, nobody)]
        assert kinds == [["pace", "under-par"], ["pace"]]
        await played(marshal, "bert")
        assert "under-par" in [one["kind"] for one in (await nobody.view())["doubts"]]
        assert (await got(nobody, "rounds/r1/set-up/1")).json() == known
        assert known["cards"] == (await nobody.attempt(name))["cards"]
        # By hand there is no journal to show again.
        answer = await nobody.http.get(f"{AT}/attempts/{name}/replay")
        assert (answer.status_code, answer.json()["why"]) == (403, "no journal tells of this attempt")
        assert (await nobody.http.get(f"{AT}/attempts/r1-nobody-1/replay")).status_code == 422
