/** Whether two words are the same but for one letter that is wrong, missing or added, or two that changed places. */
export function isOneSlipApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [endOne, endOther] = [one.length, other.length];
  while (endOne > start && endOther > start && one[endOne - 1] === other[endOther - 1]) {
    endOne--;
    endOther--;
  }
  const [a, b] = [one.slice(start, endOne), other.slice(start, endOther)];
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && a === [...b].reverse().join(''));
}
