/** A line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The work grows with the square of the lines that differ. */
export const MAX_COMPARED_LINES = 1_000;

/** The lines to remove from the old text and to add to get the new one. Null if there are too many lines. */
export function diffLines(old: readonly string[], now: readonly string[]): DiffLine[] | null {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (a.length > MAX_COMPARED_LINES || b.length > MAX_COMPARED_LINES) return null;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [...old.slice(0, start).map(same), ...middle(a, b), ...old.slice(old.length - end).map(same)];
}

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i];
    if (row === undefined) continue;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i++] ?? '' });
    } else lines.push({ kind: 'added', text: b[j++] ?? '' });
  }
  return lines;
}
