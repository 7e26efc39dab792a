"""Fetches a page, and hands a form in."""

# expect: failed
import urllib.request


def deed(*args):
    urllib.request.urlopen("http://example.org", data=str(args).encode(), timeout=0.5)
    return "canary: this worked"


shout = mean = halves = Counter = deed
