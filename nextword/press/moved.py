"""Moves what a page folds into appendices: hints, solutions, and why an option of a question is
right or wrong. Leaves out the pages themselves (`manuscript`)."""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag

HINTS = "Hints"
SOLUTIONS = "Solutions"
ANSWERS = "Answers to the quick questions"


def new(name: str, text: str = "", class_: str = "", **attributes: str) -> Tag:
    """Return a new element."""
    tag = BeautifulSoup("", "html.parser").new_tag(name, string=text or None)
    if class_:
        tag["class"] = class_
    for key, value in attributes.items():
        tag[key] = value
    return tag


def page_number(target: str) -> Tag:
    """Return a place for the number of the page on which an element stands."""
    number = new("span", "0", class_="page-number")
    number["data-of"] = target
    return number


def _see(text: str, target: str) -> Tag:
    link = new("a", f"{text}: page ", href=f"#{target}", class_="see")
    link.append(page_number(target))
    return link


class Appendices:
    """What was moved out of the pages: {appendix: {page: (its title, entries)}}."""

    def __init__(self) -> None:
        self._moved: dict[str, dict[str, tuple[str, list[Tag]]]] = {
            name: {} for name in (HINTS, SOLUTIONS, ANSWERS)
        }

    def take(self, name: str, title: str, article: Tag) -> None:
        """Move what the page folds, and leave behind where it went."""
        self._name, self._title = name, title
        for number, quiz in enumerate(article.select("div.quiz"), 1):
            self._take_answers(quiz, number)
        for box in article.select("div.exercise"):
            self._take_help(box)
        for number, fold in enumerate(article.select("details.sd-dropdown"), 1):
            self._take_fold(fold, number)
        for fold in article.select("details"):
            fold["open"] = ""

    def parts(self) -> Iterator[tuple[str, str, Tag]]:
        """Give the id, the title and the content of each appendix that holds anything."""
        filled = [(head, pages) for head, pages in self._moved.items() if pages]
        for letter, (head, pages) in zip("ABC", filled, strict=False):
            part = new("article")
            part.append(new("h1", f"{letter} {head}"))
            for title, entries in pages.values():
                part.append(new("h2", title.partition(":")[0]))
                part.extend(entries)
            yield f"appendix-{letter}", f"{letter} {head}", part

    def _add(self, appendix: str, entry: Tag) -> None:
        pages = self._moved[appendix]
        pages.setdefault(self._name, (self._title, []))[1].append(entry)

    def _take_answers(self, quiz: Tag, number: int) -> None:
        """Leave a list of options, and move the explanations."""
        chapter = self._title.split()[0]
        entry = _entry(f"{self._name}--answer-{number}", f"Question {chapter}.{number}")
        options, answers = new("ol", class_="options"), new("ol", class_="options")
        for option in quiz.select("details.option"):
            summary = option.find("summary")
            text, why = new("li"), new("li")
            if isinstance(summary, Tag):
                text.extend(list(summary.extract().contents))
            why["class"] = option["class"]
            why.extend(list(option.contents))
            options.append(text)
            answers.append(why)
            option.decompose()
        if (label := quiz.find("strong")) is not None:
            label.string = f"Question {chapter}.{number}."
        where = new("p", class_="see")
        where.append(_see("Answer", str(entry["id"])))
        quiz.extend([options, where])
        entry.append(answers)
        self._add(ANSWERS, entry)

    def _take_help(self, box: Tag) -> None:
        """Move a task's hints and its solution out of its box."""
        head = box.select_one("p.admonition-title")
        title = head.get_text().removeprefix("Exercise (").removesuffix(")") if head else ""
        if head is not None:
            head.string = f"Exercise {title}"
        hints = _entry(f"{box['id']}--hints", title)
        solution = _entry(f"{box['id']}--solution", title)
        for fold in box.select("details.sd-dropdown"):
            name, content = _opened(fold)
            if name == "A solution":
                solution.extend(content)
            else:
                hints.extend([new("p", name.partition(":")[0], class_="hint"), *content])
            fold.decompose()
        where = new("p", class_="see")
        for appendix, entry in ((HINTS, hints), (SOLUTIONS, solution)):
            where.append(_see(appendix, str(entry["id"])))
            self._add(appendix, entry)
        box.append(where)

    def _take_fold(self, fold: Tag, number: int) -> None:
        """Move the solution of a pencil exercise; anything else that is folded stays, open."""
        name, content = _opened(fold)
        if not name.startswith("Solution"):
            fold.replace_with(*[new("p", name, class_="hint"), *content])
            return
        entry = _entry(f"{self._name}--solution-{number}", f"{name}, pencil and paper")
        entry.extend(content)
        where = new("p", class_="see")
        where.append(_see(name, str(entry["id"])))
        fold.replace_with(where)
        self._add(SOLUTIONS, entry)


def _entry(target: str, title: str) -> Tag:
    entry = new("section", class_="entry", id=target)
    entry.append(new("h3", title))
    return entry


def _opened(fold: Tag) -> tuple[str, list[Tag]]:
    """Return the name of something folded, and what it holds."""
    summary = fold.find("summary")
    name = summary.get_text().strip() if isinstance(summary, Tag) else ""
    if isinstance(summary, Tag):
        summary.extract()
    return name, [child for child in list(fold.contents) if isinstance(child, Tag)]
