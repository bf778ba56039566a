const STEP = 1_024;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes as people read it: `1.4 GiB`. */
export function sizeText(bytes: number): string {
  const size = Math.abs(bytes);
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(STEP)));
  const amount = size / STEP ** power;
  const sign = bytes < 0 ? '−' : '';
  return `${sign}${amount.toFixed(amount < 10 && power > 0 ? 1 : 0)} ${UNITS[power]}`;
}
