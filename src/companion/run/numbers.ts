/** Numbers that a run tells: the first line of a body, which the page of a check shows over time. */
export type Numbers = Readonly<Record<string, number>>;

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/;
/** Larger ones are not read by the server. */
const TOO_LARGE = 1e15;

/** `files=120 errors=0`; empty where there are none. */
export function numbersLine(numbers: Numbers): string {
  const pairs = Object.entries(numbers).flatMap(([name, value]) => {
    const rounded = Math.round(value);
    const isTold = NAME.test(name) && rounded >= 0 && rounded < TOO_LARGE;
    return isTold ? [`${name}=${rounded}`] : [];
  });
  return pairs.join(' ');
}
