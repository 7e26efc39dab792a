// Truth, places, `in` and the like as Python has them, for programs translated from it.

export const $ = {
  truth: (x) => (Array.isArray(x) ? x.length > 0 : x instanceof Map || x instanceof Set ? x.size > 0 : Boolean(x)),
  iter: (x) => (x instanceof Map ? [...x.keys()] : Array.isArray(x) ? x : [...x]),
  list: (x) => [...$.iter(x)],
  len: (x) => x.length ?? x.size,
  set: (x) => new Set($.iter(x)),
  sum: (x) => $.iter(x).reduce((a, b) => a + b, 0),
  min: (x, otherwise) => (x.length ? Math.min(...x) : otherwise),
  range: (a, b) => Array.from({ length: Math.max(b - a, 0) }, (_, k) => a + k),
  sorted: (x) => $.list(x).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  enumerate: (x) => $.iter(x).map((item, k) => [k, item]),
  key: (k) => (Array.isArray(k) ? JSON.stringify(k) : k),
  at: (x, k) => (x instanceof Map ? x.get($.key(k)) : x.at(k)),
  put: (x, k, v) => (x instanceof Map ? x.set($.key(k), v) : (x[k] = v)),
  has: (x, item) => (x instanceof Map || x instanceof Set ? x.has($.key(item)) : x.includes(item)),
  add: (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b),
  times: (x, n) => Array.from({ length: n }, () => x[0]),
  merge: (a, b) => new Map([...a, ...b]),
  append: (x, item) => x.push(item),
  pop: (x, k) => x.delete($.key(k)),
  get: (x, k, otherwise) => (x.has(k) ? x.get(k) : otherwise),
  items: (x) => [...x],
  values: (x) => [...x.values()],
  index: (x, item) => x.indexOf(item),
  join: (between, x) => x.join(between),
  split: (x) => x.split(/\s+/).filter(Boolean),
  replace: (x, a, b) => x.replaceAll(a, b),
  endswith: (x, end) => x.endsWith(end),
  rpartition: (x, mark) => {
    const k = x.lastIndexOf(mark);
    return k < 0 ? ["", "", x] : [x.slice(0, k), mark, x.slice(k + mark.length)];
  },
};
