/*
 * QR codes (ISO/IEC 18004) of bytes, with the lowest level of error correction: they are read from a screen. Versions up to
 * 13 hold 425 bytes.
 */

/** Of each version: error correction bytes of a block, blocks, and data bytes of a block. The last blocks may have one more. */
const VERSIONS = [
  [7, 1, 19],
  [10, 1, 34],
  [15, 1, 55],
  [20, 1, 80],
  [26, 1, 108],
  [18, 2, 68],
  [20, 2, 78],
  [24, 2, 97],
  [30, 2, 116],
  [18, 4, 68, 2],
  [20, 4, 81],
  [24, 4, 92, 2],
  [26, 4, 107],
] as const;

interface Version {
  readonly number: number;
  readonly size: number;
  readonly correction: number;
  /** The data bytes of each block. */
  readonly blocks: readonly number[];
}

function versionFor(bytes: number): Version | null {
  for (const [index, [correction, count, length, longer = 0]] of VERSIONS.entries()) {
    const blocks = Array.from({ length: count }, (_, n) => length + (n >= count - longer ? 1 : 0));
    const number = index + 1;
    const lengthBits = number < 10 ? 8 : 16;
    const capacity = blocks.reduce((sum, one) => sum + one, 0);
    if (4 + lengthBits + bytes * 8 <= capacity * 8)
      return { number, size: 17 + 4 * number, correction, blocks };
  }
  return null;
}

/** The rows of the code, true where it is dark. Null if the text is too long. */
export function qrMatrix(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  if (version === null) return null;
  const bits = toBits(codewords(bytes, version));
  const masked = MASKS.map((mask, number) => draw(version, bits, mask, number));
  return masked.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

/** Data and error correction, interleaved as they are drawn. */
function codewords(bytes: Uint8Array, { number, blocks, correction }: Version): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, number < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const capacity = blocks.reduce((sum, one) => sum + one, 0);
  push(0, Math.min(4, capacity * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const data = Array.from({ length: bits.length / 8 }, (_, n) =>
    bits.slice(n * 8, n * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
  for (let pad = 0; data.length < capacity; pad++) data.push(pad % 2 === 0 ? 0xec : 0x11);
  const ends = blocks.map((_, n) => blocks.slice(0, n + 1).reduce((sum, one) => sum + one, 0));
  const parts = blocks.map((length, n) => data.slice((ends[n] ?? 0) - length, ends[n]));
  const divisor = generator(correction);
  return [...interleaved(parts), ...interleaved(parts.map((part) => remainder(part, divisor)))];
}

function interleaved(parts: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, n) => parts.flatMap((part) => part[n] ?? [])).flat();
}

const toBits = (bytes: readonly number[]): number[] =>
  bytes.flatMap((byte) => Array.from({ length: 8 }, (_, n) => (byte >> (7 - n)) & 1));

/** In the field of 256 elements that the standard names. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((other >> bit) & 1) * one;
  }
  return product & 0xff;
}

function generator(degree: number): number[] {
  const result: number[] = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let n = 0; n < degree; n++) {
    for (let place = 0; place < degree; place++)
      result[place] = multiply(result[place] ?? 0, root) ^ (result[place + 1] ?? 0);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const result: number[] = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    for (const [place, coefficient] of divisor.entries())
      result[place] = (result[place] ?? 0) ^ multiply(coefficient, factor);
  }
  return result;
}

type Mask = (x: number, y: number) => boolean;

const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Canvas {
  readonly dark: boolean[][];
  /** What belongs to the frame of the code, where no data is drawn. */
  readonly isFrame: boolean[][];

  constructor(size: number) {
    this.dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    this.isFrame = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  }

  frame(x: number, y: number, isDark: boolean): void {
    const row = this.dark[y];
    const frame = this.isFrame[y];
    if (row === undefined || frame === undefined || x < 0 || x >= row.length) return;
    row[x] = isDark;
    frame[x] = true;
  }
}

function draw(version: Version, bits: readonly number[], mask: Mask, number: number): boolean[][] {
  const canvas = new Canvas(version.size);
  drawFrame(canvas, version, number);
  drawData(canvas, version.size, bits, mask);
  return canvas.dark;
}

function drawFrame(canvas: Canvas, { number, size }: Version, mask: number): void {
  for (let n = 0; n < size; n++) {
    canvas.frame(6, n, n % 2 === 0);
    canvas.frame(n, 6, n % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(canvas, x, y, 4);
  const centres = alignmentCentres(number, size);
  const last = centres.length - 1;
  for (const [column, x] of centres.entries())
    for (const [row, y] of centres.entries()) {
      const isCorner = (column === 0 && (row === 0 || row === last)) || (column === last && row === 0);
      if (!isCorner) drawRings(canvas, x, y, 2);
    }
  drawFormat(canvas, size, mask);
  if (number >= 7) drawVersion(canvas, size, number);
}

/** Rings around a centre: dark, light and dark, and for the large ones a light one outside. */
function drawRings(canvas: Canvas, x: number, y: number, radius: number): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      const isDark = radius === 4 ? distance !== 2 && distance !== 4 : distance !== 1;
      canvas.frame(x + dx, y + dy, isDark);
    }
}

function alignmentCentres(number: number, size: number): number[] {
  if (number === 1) return [];
  const count = Math.floor(number / 7) + 2;
  const step = Math.ceil((size - 13) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, n) => size - 7 - (count - 2 - n) * step)];
}

/** Adds the bits by which readers find errors. */
function withCheck(value: number, divisor: number, length: number): number {
  let rest = value;
  const top = 31 - Math.clz32(divisor);
  for (let n = 0; n < length; n++) rest = (rest << 1) ^ ((rest >> (top - 1)) * divisor);
  return (value << length) | rest;
}

const LOWEST_LEVEL = 0b01;

function drawFormat(canvas: Canvas, size: number, mask: number): void {
  const bits = withCheck((LOWEST_LEVEL << 3) | mask, 0x537, 10) ^ 0x5412;
  const bit = (n: number) => ((bits >> n) & 1) === 1;
  for (let n = 0; n < 6; n++) canvas.frame(8, n, bit(n));
  canvas.frame(8, 7, bit(6));
  canvas.frame(8, 8, bit(7));
  canvas.frame(7, 8, bit(8));
  for (let n = 9; n < 15; n++) canvas.frame(14 - n, 8, bit(n));
  for (let n = 0; n < 8; n++) canvas.frame(size - 1 - n, 8, bit(n));
  for (let n = 8; n < 15; n++) canvas.frame(8, size - 15 + n, bit(n));
  canvas.frame(8, size - 8, true);
}

function drawVersion(canvas: Canvas, size: number, number: number): void {
  const bits = withCheck(number, 0x1f25, 12);
  for (let n = 0; n < 18; n++) {
    const isDark = ((bits >> n) & 1) === 1;
    const [near, far] = [Math.floor(n / 3), size - 11 + (n % 3)];
    canvas.frame(near, far, isDark);
    canvas.frame(far, near, isDark);
  }
}

/** In columns of two from the right, up and down in turn. */
function drawData({ dark, isFrame }: Canvas, size: number, bits: readonly number[], mask: Mask): void {
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const goesUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = goesUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (row === undefined || isFrame[y]?.[x] === true) continue;
        row[x] = (bits[next++] === 1) !== mask(x, y);
      }
    }
  }
}

/** How hard the code is to read. */
function penalty(dark: readonly (readonly boolean[])[]): number {
  const columns = dark.map((_, x) => dark.map((row) => row[x] ?? false));
  const lines = [...dark, ...columns].reduce((sum, line) => sum + linePenalty(line), 0);
  let blocks = 0;
  for (let y = 1; y < dark.length; y++)
    for (let x = 1; x < dark.length; x++) {
      const corner = dark[y]?.[x];
      if (dark[y - 1]?.[x] === corner && dark[y]?.[x - 1] === corner && dark[y - 1]?.[x - 1] === corner)
        blocks += 3;
    }
  const count = dark.flat().filter(Boolean).length;
  const share = (count * 20) / dark.length ** 2;
  return lines + blocks + Math.floor(Math.abs(share - 10)) * 10;
}

const FINDER = [true, false, true, true, true, false, true];
const LIGHT = [false, false, false, false];

function linePenalty(line: readonly boolean[]): number {
  let sum = 0;
  for (let from = 0; from < line.length; ) {
    let end = from + 1;
    while (end < line.length && line[end] === line[from]) end++;
    if (end - from >= 5) sum += end - from - 2;
    from = end;
  }
  for (const pattern of [
    [...FINDER, ...LIGHT],
    [...LIGHT, ...FINDER],
  ])
    for (let from = 0; from + pattern.length <= line.length; from++)
      if (pattern.every((isDark, n) => line[from + n] === isDark)) sum += 40;
  return sum;
}
