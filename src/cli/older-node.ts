/**
 * Functions that Node 20 lacks, as far as commands of the client call them. The service runs on its own Node and never loads this.
 */

/** As Temporal.Instant. */
interface PlainInstant {
  readonly epochMilliseconds: number;
  readonly epochNanoseconds: bigint;
  toZonedDateTimeISO(zone: string): object;
}

function plainInstant(epochMilliseconds: number, nanoseconds = 0): PlainInstant {
  return {
    epochMilliseconds: epochMilliseconds + Math.floor(nanoseconds / 1e6),
    epochNanoseconds: BigInt(epochMilliseconds) * 1_000_000n + BigInt(nanoseconds),
    // The client asks whether a zone is known, and whether a schedule ever runs. No offset changes the answer.
    toZonedDateTimeISO: (zone) => ({
      timeZoneId: new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone,
      offsetNanoseconds: 0,
      getTimeZoneTransition: () => null,
    }),
  };
}

/** Reads times as servers write them: `2020-03-24T14:02:03.004005+00:00`. Servers tell no days that do not exist. */
function instantFrom(text: string): PlainInstant {
  const [, whole = '', fraction = '', zone = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const second = Date.parse(whole + zone);
  if (Number.isNaN(second)) throw new RangeError(`${text} is no time`);
  return plainInstant(second, Number(fraction.padEnd(9, '0')));
}

function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function parseUrl(url: string, base?: string): URL | null {
  return URL.canParse(url, base) ? new URL(url, base) : null;
}

function someOf<T>(this: Iterable<T>, isMeant: (item: T) => boolean): boolean {
  for (const item of this) if (isMeant(item)) return true;
  return false;
}

const iterators: object = Object.getPrototypeOf(Object.getPrototypeOf([].values()));
const lacking: readonly (readonly [owner: object, name: string, value: unknown])[] = [
  [globalThis, 'Temporal', { Instant: { from: instantFrom, fromEpochMilliseconds: plainInstant } }],
  [Map, 'groupBy', groupBy],
  [Promise, 'withResolvers', withResolvers],
  [URL, 'parse', parseUrl],
  [iterators, 'some', someOf],
];
for (const [owner, name, value] of lacking) {
  if (!(name in owner)) Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}
