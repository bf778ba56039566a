/** What stands behind a proxy, with one function that gives something else. */
export function changed<Part extends object, Name extends keyof Part>(
  part: Part,
  name: Name,
  change: (own: Part[Name]) => unknown,
): Part {
  return new Proxy(part, {
    get(target, asked) {
      const own: unknown = Reflect.get(target, asked);
      const value = typeof own === 'function' ? own.bind(target) : own;
      return asked === name ? change(value) : value;
    },
  });
}
