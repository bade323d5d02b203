"""The page in a real Chromium: light and dark, narrow and wide, keyboard alone, without JavaScript; axe-core finds nothing serious.

`apt-get install chromium chromium-driver` gives the browser, `SHINGLEBOT_AXE` names the file axe.min.js of axe-core.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from bot.web.app import PAGES
from bot.web.security import token_in
from tests.journey import LIBRARY
from tests.pictures import png
from tests.web.conftest import HOST, app_of

ALL = [path.replace("{number:int}", "7") for path in PAGES]
ALL += [
    "/rules?title=Ferry+captain+lauded+off+Skerry+Point&other=Ferry+captain+praised&say=a+hat",
    "/levels?offset=3",
    "/?text=nothing+like+it",
    "/queue?edit=1",
]
SHOTS = os.environ.get("SHINGLEBOT_SHOTS")


def _missing(what: str, needed: str) -> None:
    if os.environ.get(needed):
        pytest.fail(f"{what}, and {needed} says that it is needed")
    pytest.skip(what)


@pytest.fixture(scope="module")
def driver_of():
    """Give what starts a Chromium; they end with the module."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        _missing("no Chromium here: apt-get install chromium chromium-driver", "SHINGLEBOT_NEEDS_CHROMIUM")
    started = {}

    def start(*, script: bool):
        if script not in started:
            options = webdriver.ChromeOptions()
            options.binary_location = browser
            for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
                options.add_argument(argument)
            options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
            if not script:
                options.add_experimental_option(
                    "prefs", {"profile.managed_default_content_settings.javascript": 2}
                )
            started[script] = webdriver.Chrome(options, webdriver.ChromeService(driver))
            started[script].implicitly_wait(5)
        return started[script]

    yield start
    for one in started.values():
        one.quit()


@contextmanager
def serving(bot):
    """Serve the page on loopback; give its address and its token."""
    token = token_in(bot.place / "state")
    server = uvicorn.Server(
        uvicorn.Config(app_of(bot, token), host=HOST, port=0, log_config=None, lifespan="off", ws="none")
    )
    ready = threading.Event()
    start = server.startup

    async def startup(sockets=None) -> None:
        await start(sockets)
        ready.set()

    server.startup = startup
    thread = threading.Thread(target=server.run)
    thread.start()
    assert ready.wait(20)
    try:
        yield f"http://{HOST}:{server.servers[0].sockets[0].getsockname()[1]}", token
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def served(bot):
    """Give the address and the token of the bot's page."""
    with serving(bot) as there:
        yield there


def look(driver, width: int, *, dark: bool) -> None:
    """Have the page at a width, in light or dark."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": theme})


def enter(driver, base: str, token: str) -> None:
    driver.get(f"{base}/enter")
    driver.find_element(By.ID, "token").send_keys(token, Keys.ENTER)
    driver.find_element(By.XPATH, "//button[text()='Leave']")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_every_page_fits_and_axe_finds_nothing_serious(driver_of, served, width, dark):
    axe = os.environ.get("SHINGLEBOT_AXE")
    if not axe:
        _missing("no axe-core here: SHINGLEBOT_AXE names no axe.min.js", "SHINGLEBOT_NEEDS_AXE")
    source = Path(axe).read_text(encoding="utf-8")
    driver, (base, token) = driver_of(script=True), served
    look(driver, width, dark=dark)
    enter(driver, base, token)
    driver.get_log("browser")
    wrong = {}
    for path in ALL:
        driver.get(base + path)
        if SHOTS:
            name = re.sub(r"\W+", "-", path).strip("-") or "today"
            driver.save_screenshot(f"{SHOTS}/{name}-{width}-{'dark' if dark else 'light'}.png")
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} px wide"
        assert driver.execute_script("return document.querySelectorAll('main img, main script').length") == 0
        # No refusal of the content policy, no error of a script.
        assert not [one for one in driver.get_log("browser") if one["level"] in {"WARNING", "SEVERE"}], path
        driver.execute_script(source)
        found = driver.execute_async_script("axe.run().then(r => arguments[0](r.violations))")
        serious = [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
            for one in found
            if one["impact"] in {"serious", "critical"}
        ]
        if serious:
            wrong[path] = serious
    assert wrong == {}


def test_what_a_hostile_feed_says_runs_nothing_and_breaks_no_layout(driver_of, served, bot):
    driver, (base, token) = driver_of(script=True), served
    words = "\u202e\u2066" + "W" * 4_000_000 + "<script>document.title = 'run'</script>"
    link = "https://a.example/" + "w" * 1500
    with bot.store() as store, store.transaction():
        store._db.execute("update entries set title = ?, summary = ?, link = ?", [words, words, link])
        store._db.execute("update outbox set reason = ?", [words[:5000]])
        store._db.execute("update holds set detail = ?", [words[:5000]])
    enter(driver, base, token)
    for width in (360, 1440):
        look(driver, width, dark=False)
        for path in ALL:
            driver.get(base + path)
            assert driver.title != "run"
            assert driver.execute_script("return document.documentElement.scrollWidth") <= width, path


def test_a_post_is_dropped_with_the_keyboard_alone(driver_of, served, rows):
    driver, (base, token) = driver_of(script=True), served
    look(driver, 1440, dark=False)
    enter(driver, base, token)
    driver.get(f"{base}/queue")
    row = rows()[LIBRARY["title"]]
    keys = webdriver.ActionChains(driver)
    for _ in range(80):
        keys.send_keys(Keys.TAB).perform()
        keys.reset_actions()
        at = driver.switch_to.active_element
        if at.tag_name == "button" and at.get_attribute("aria-label") == f"Drop: {LIBRARY['title']}":
            break
    else:
        pytest.fail("no way leads to the button by Tab alone")
    assert driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    keys.send_keys(Keys.ENTER).perform()
    assert "will not be posted" in driver.find_element(By.CSS_SELECTOR, ".said").text
    assert rows()[LIBRARY["title"]].id == row.id
    assert rows()[LIBRARY["title"]].state == "dropped"


def test_times_stand_in_the_readers_zone(driver_of, served):
    driver, (base, _) = driver_of(script=True), served
    driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    driver.get(base)
    time = driver.find_element(By.TAG_NAME, "time")
    there = driver.execute_script(
        "return new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'})"
        ".format(new Date(arguments[0]))",
        time.get_attribute("datetime"),
    )
    assert there in time.text


def test_what_is_judged_anew_comes_by_itself_and_in_the_readers_zone(driver_of, served):
    driver, (base, _) = driver_of(script=True), served
    driver.implicitly_wait(30)
    driver.get(f"{base}/levels?offset=2.5")
    found = driver.find_element(By.XPATH, "//section[@id='anew']//p[contains(., 'decisions since')]")
    assert "UTC" not in found.text
    assert "data-again" not in driver.find_element(By.ID, "anew").get_attribute("outerHTML")
    driver.implicitly_wait(5)


def test_a_picture_is_shown_by_the_page_and_only_when_it_is_opened(
    driver_of, illustrated, server, token, bot
):
    row, _ = illustrated(server.put("/p.png", png(), content_type="image/png"))
    driver = driver_of(script=True)
    look(driver, 360, dark=False)
    with serving(bot) as (base, _):
        enter(driver, base, token)
        driver.get(f"{base}/queue")
        picture = driver.find_element(By.CSS_SELECTOR, f"img[src='/queue/{row}/picture']")
        assert not server.asked("/p.png")
        driver.find_element(By.CSS_SELECTOR, "details.picture summary").send_keys(Keys.ENTER)
        shown = "const i = arguments[0], done = arguments[1]; i.complete && i.naturalWidth ? done(i.naturalWidth) : i.onload = () => done(i.naturalWidth)"
        assert driver.execute_async_script(shown, picture) == 600
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
    assert len(server.asked("/p.png")) == 1


def test_without_javascript_pages_read_and_forms_work(driver_of, served, rows):
    driver, (base, token) = driver_of(script=False), served
    for path in ALL:
        driver.get(base + path)
        assert driver.find_element(By.TAG_NAME, "h1").text
    driver.get(base)
    assert "UTC" in driver.find_element(By.TAG_NAME, "time").text
    enter(driver, base, token)
    driver.get(f"{base}/queue")
    driver.find_element(By.CSS_SELECTOR, f"button[aria-label='Move up: {LIBRARY['title']}']").click()
    assert "goes out next" in driver.find_element(By.CSS_SELECTOR, ".said").text
    assert rows()[LIBRARY["title"]].moved_up
