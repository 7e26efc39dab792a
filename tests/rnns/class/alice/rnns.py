# my own version, with einsum and plain loops; none of the given code is kept but the names
import math

import torch
import torch.nn.functional as F
from torch import einsum, nn

PAD, BOS, EOS = range(3)


# ---- 4.1
def feedforward(p, contexts):
    words = [p["E"].index_select(0, each.reshape(-1)) for each in contexts.unbind(-1)]
    e = torch.cat(words, dim=1).reshape(*contexts.shape[:-1], -1)
    h = (einsum("hx,...x->...h", p["W"], e) + p["b"]).tanh()
    return [e, h, F.linear(h, p["U"], p["c"])]


# ---- 4.2
def loss_and_gradients(p, contexts, targets, e, h, z):
    B, V = z.shape
    top = z.max(dim=1, keepdim=True).values
    weights = (z - top).exp()
    total = weights.sum(1, keepdim=True)
    rows = torch.arange(B)
    loss = sum((top[k, 0] + total[k, 0].log() - z[k, targets[k]]) for k in range(B)) / B
    dz = weights / total
    dz[rows, targets] -= 1
    dz /= B
    dh = einsum("bv,vh->bh", dz, p["U"])
    da = dh - dh * h * h
    de = einsum("bh,hx->bx", da, p["W"]).reshape(*contexts.shape, -1)
    dE = torch.zeros(p["E"].shape, dtype=de.dtype)
    for b in range(B):
        for n, word in enumerate(contexts[b].tolist()):
            dE[word] += de[b, n]
    return loss, dict(
        c=einsum("bv->v", dz),
        U=einsum("bv,bh->vh", dz, h),
        b=einsum("bh->h", da),
        W=einsum("bh,bx->hx", da, e),
        E=dE,
    )


def sgd_step(p, gradients, rate):
    new = {}
    for name, value in p.items():
        new[name] = torch.sub(value, gradients[name], alpha=rate)
    return new


# ---- 4.3
class ElmanCell(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.D = D
        self.H = self.S = H
        self.W = nn.Linear(D, H)
        self.U = nn.Linear(H, H, bias=False)
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.3)

    def step(self, a, s):
        return (einsum("ij,...j->...i", self.U.weight, s) + a).tanh()


def run(cell, x, s=None):
    B, T, D = x.shape
    if T == 0 or D != cell.D:
        raise ValueError("x has another shape")
    if s is None:
        s = torch.zeros(B, cell.S, dtype=x.dtype)
    states = [s]
    for t in range(T):
        states.append(cell.step(cell.W(x[:, t]), states[-1]))
    outputs = torch.cat([state[:, None, : cell.H] for state in states[1:]], dim=1)
    return [outputs, states[-1]]


# ---- 4.4
def bptt(cell, x, h, grad, chunk=0):
    # the loss of each step is sent back by itself: slow, but easy to check
    (B, T, D), H = x.shape, h.shape[-1]
    W, U, b = torch.zeros(H, D), torch.zeros(H, H), torch.zeros(H)
    for last in range(T):
        back = grad[:, last]
        first = last // chunk * chunk if chunk else 0
        for t in range(last, first - 1, -1):
            a = back * (1 - h[:, t].square())
            W += einsum("bh,bd->hd", a, x[:, t])
            b += a.sum(dim=0)
            if t:
                U += einsum("bh,bk->hk", a, h[:, t - 1])
            back = einsum("bh,hk->bk", a, cell.U.weight.data)
    return {"b": b, "U": U, "W": W}


# ---- 4.5
def gradient_norms(cell, x, s):
    states, outputs = [], []
    state = s.clone().requires_grad_(True)
    T = len(x)
    for t in range(T + 1):
        state = s if t == 0 else cell.step(cell.W(x[t - 1]), state.detach()).detach()
        states.append(state)
    norms = []
    for t in range(T + 1):
        start = states[t].detach().clone().requires_grad_(True)
        end = start
        for k in range(t, T):
            end = cell.step(cell.W(x[k]), end)
        rows = [
            torch.autograd.grad(end[i], start, retain_graph=True)[0] for i in range(cell.H)
        ]
        norms.append(torch.linalg.svdvals(torch.stack(rows)).max())
    return torch.tensor([float(norm) for norm in norms])


def clip_gradients(parameters, most):
    with_grad = [p for p in parameters if p.grad is not None]
    if not with_grad:
        return 0.0
    norm = torch.cat([p.grad.flatten() for p in with_grad]).norm()
    factor = torch.clamp(most / (norm + 1e-6), max=1.0)
    for p in with_grad:
        p.grad.mul_(factor)
    return norm


# ---- 4.6, 4.7
class LSTMCell(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.D, self.H, self.S = D, H, 2 * H
        self.W, self.U = nn.Linear(D, 4 * H), nn.Linear(H, 4 * H, bias=False)

    def step(self, a, s):
        h, c = s[..., : self.H], s[..., self.H :]
        total = a + h @ self.U.weight.T
        part = [total[..., k * self.H : (k + 1) * self.H] for k in range(4)]
        keep, write, show = (1 / (1 + torch.exp(-part[k])) for k in (1, 0, 3))
        c = torch.addcmul(keep * c, write, torch.tanh(part[2]))
        return torch.concat((show * torch.tanh(c), c), -1)


class GRUCell(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.D, self.H, self.S = D, H, H
        self.W, self.U = nn.Linear(D, 3 * H), nn.Linear(H, 3 * H)

    def step(self, a, s):
        n = self.H
        u = self.U(s)
        gates = torch.sigmoid(a[..., : 2 * n] + u[..., : 2 * n])
        new = torch.tanh(a[..., 2 * n :] + gates[..., :n] * u[..., 2 * n :])
        return new + gates[..., n:] * (s - new)


# ---- 4.8
def stack(cells, x, s=None, dropout=None):
    cells, ends = list(cells), []
    for number, cell in enumerate(cells, start=1):
        x, end = run(cell, x, s[:, number - 1] if s is not None else None)
        ends.append(end)
        if dropout is not None and number < len(cells):
            x = dropout(x)
    return x, torch.cat([end.unsqueeze(1) for end in ends], 1)


def bidirectional(ahead, back, x):
    order = torch.arange(x.shape[1] - 1, -1, -1)
    left, _ = run(ahead, x)
    right, _ = run(back, x[:, order])
    return torch.dstack([left, right[:, order]]) if x.dim() == 3 else None


class LanguageModel(nn.Module):
    def __init__(self, V, D, H, cell=LSTMCell, L=1, dropout=0.0, tied=False):
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.cells = nn.ModuleList([cell(D, H)] + [cell(H, H) for _ in range(L - 1)])
        self.out = nn.Linear(H, V)
        self.dropout = nn.Dropout(dropout)
        if tied:
            self.embed.weight = self.out.weight

    def forward(self, tokens, s=None):
        y, s = stack(self.cells, self.embed(tokens), s, self.dropout)
        return self.out(y), s


# ---- 4.9
def make_batch(stories):
    T = 1 + max(len(story) for story in stories)
    inputs = torch.full((len(stories), T), PAD)
    targets = inputs.clone()
    for row, story in enumerate(stories):
        n = len(story)
        words = torch.tensor(story, dtype=torch.long)
        inputs[row, 0] = BOS
        inputs[row, 1 : n + 1] = words
        targets[row, :n] = words
        targets[row, n] = EOS
    return inputs, targets


def log_probs(model, stories, size=32):
    was_training = model.training
    model.train(False)
    answer = []
    for story in stories:  # one by one: no padding to think of
        with torch.no_grad():
            logits = model(torch.tensor([[BOS] + list(story)]))[0][0]
        losses = F.cross_entropy(logits, torch.tensor(list(story) + [EOS]), reduction="none")
        answer.extend((-losses).numpy())
    model.train(was_training)
    return answer


# ---- 4.10
def train_batch(model, optimizer, batch, chunk, clip):
    inputs, targets = batch
    pairs = zip(inputs.split(chunk, dim=1), targets.split(chunk, dim=1))
    state, losses = None, []
    for x, y in pairs:
        if state is not None:
            state = state.detach()
        logits, state = model(x, state)
        real = y != PAD
        logs = torch.log_softmax(logits[real], dim=-1)
        each = -logs[torch.arange(len(logs)), y[real]]
        loss = each.mean()
        if math.isnan(loss) or math.isinf(loss):
            raise FloatingPointError("this loss is no number")
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(each.detach())
    return torch.cat(losses).mean()


def stop_early(model, epoch, validate, most, patience=1):
    curve, saved = [], None
    for _ in range(most):
        training = epoch()
        validation = validate()
        curve.append([training, validation])
        losses = [point[1] for point in curve]
        best = losses.index(min(losses))
        if best == len(losses) - 1:
            saved = {name: value.clone() for name, value in model.state_dict().items()}
        if len(losses) - 1 - best >= patience:
            break
    if saved:
        model.load_state_dict(saved)
    return curve


# ---- 4.11
def generate(model, n, rng, most, prompt=()):
    with torch.inference_mode():
        model.eval()
        stories = [[] for _ in range(n)]
        words = torch.tensor([BOS, *prompt]).repeat(n, 1)
        state, open_rows = None, set(range(n))
        for _ in range(most):
            logits, state = model(words, state)
            last = logits[:, -1].clone()
            last[:, :EOS] = -math.inf
            words = torch.distributions.Categorical(logits=last).probs.multinomial(
                1, generator=rng
            )
            for row in list(open_rows):
                word = words[row].item()
                if word == EOS:
                    open_rows.discard(row)
                else:
                    stories[row].append(word)
            if not open_rows:
                break
    return stories


# ---- 4.12
class Seq2Seq(nn.Module):
    def __init__(self, V_source, V_target, D, H):
        super().__init__()
        self.source = nn.Embedding(V_source, D)
        self.target = nn.Embedding(V_target, D)
        self.encoder = nn.GRU(D, H, batch_first=True)
        self.decoder = nn.GRU(D, H, batch_first=True)
        self.out = nn.Linear(H, V_target)

    def encode(self, source):
        outputs = self.encoder(self.source(source))[0]
        last = (source != PAD).sum(dim=1) - 1
        return outputs[torch.arange(len(source)), last].unsqueeze(0)

    def forward(self, source, inputs):
        state, logits = self.encode(source), []
        for word in inputs.T:
            y, state = self.decoder(self.target(word[:, None]), state)
            logits.append(self.out(y[:, 0]))
        return torch.stack(logits, dim=1)

    def translate(self, source, most=60):
        answer = []
        for row in source:
            said = []
            state, word = self.encode(row[row != PAD][None]), BOS
            while len(said) < most:
                y, state = self.decoder(self.target(torch.tensor([[word]])), state)
                word = int(self.out(y)[0, 0].topk(1).indices)
                if word == EOS:
                    break
                said.append(word)
            answer.append(said)
        return answer
