"""The explorer of section 6.9 on an open page, and what its transformer computes in PyTorch."""

import torch

from solutions import transformers
from tests.explorable_pages import ids_of, numbers_of, torch_network

GIVEN = numbers_of("transformer")


class Explorer:
    """The figure on an open page."""

    def __init__(self, page, hand):
        page.locator("button.nw-e-w").first.wait_for()
        self.page, self.hand = page, hand(page)
        self.figure = page.locator(".nw-e")

    def set(self, **state):
        """Set a state, and wait until all that was asked for it is drawn."""
        self.page.evaluate("(s) => document.querySelector('figure.nw-x').explorable.set(s)", state)
        self.page.wait_for_timeout(60)
        self.page.wait_for_function("document.querySelector('.nw-e').ariaBusy !== 'true'")

    def get(self):
        return self.page.evaluate("document.querySelector('figure.nw-x').explorable.get()")

    def until(self, condition):
        """Wait until a condition is true of the `words` and of what a view `says`."""
        self.page.wait_for_function(f"""() => {{
            const says = (view) => document.querySelector(`.nw-e-${{view}} .nw-e-says`).textContent;
            const words = [...document.querySelectorAll('button.nw-e-w')].slice(1)
                .map((each) => each.textContent);
            return {condition};
        }}""")

    def bars(self):
        """{word: [percent, true percent or None]}."""
        number = {"✗": None, "": None, "< 0.1": 0.05}
        found = {}
        for row in self.figure.locator("button.nw-e-row:visible").all():
            texts = row.locator(".nw-e-figures span").all_inner_texts()
            values = [number[text] if text in number else float(text) for text in texts]
            found[row.locator(".nw-x-name").inner_text()] = values
        return found

    def says(self, view=None):
        """The line below the text, or that of a view."""
        return self.figure.locator(
            f".nw-e-{view} .nw-e-says" if view else ".nw-x-spoken"
        ).inner_text()

    def words(self):
        return self.figure.locator("button.nw-e-w").all_inner_texts()[1:]


@torch.no_grad()
def chances(words, off=()):
    """The transformer's probability of each next word, heads switched off."""
    net = torch_network(GIVEN["network"])
    for block, head in off:
        net.blocks[block].mixer.W_o.weight[:, head * 32 : (head + 1) * 32] = 0
    logits = net(torch.tensor([ids_of(GIVEN["network"], words)]))[0][0, -1]
    return logits.softmax(-1).numpy().astype(float)


@torch.no_grad()
def stream(words):
    """The words' vectors at first, after each attention and after each feed-forward layer."""
    net = torch_network(GIVEN["network"])
    x = net.embed(torch.tensor([ids_of(GIVEN["network"], words)]))
    stages = [x]
    for block in net.blocks:
        stages.append(x + block.mixer(block.norm1(x))[0])
        x, _ = block(x)
        stages.append(x)
    return net, stages


@torch.no_grad()
def looks(block, head, words):
    """The weights of one head from the last word."""
    net, stages = stream(words)
    layer = net.blocks[block]
    parts = layer.mixer.W_qkv(layer.norm1(stages[2 * block])).unflatten(-1, (3, 2, 32))
    q, k, _ = (transformers.rotate(part[0].transpose(0, 1)) for part in parts.unbind(2))
    return (q[head, -1] @ k[head].T / 32**0.5).softmax(-1).numpy()
