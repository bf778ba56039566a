/**
 * A file system in memory, by FUSE: `node fuse.ts FOLDER each|all`. With `each`, every process reads what it has read of a file
 * before, whatever others have written meanwhile. With `all`, everybody sees everything. Needs root. Ends when it is unmounted.
 */
import { execFileSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

const [, , folder = '', cached = ''] = process.argv;

const NOT_THERE = 2;
const NOT_KNOWN = 38;
const ROOT = 1;
const MAX_WRITE = 128 * 1024;
const HEAD_IN = 40;
const HEAD_OUT = 16;
/** The bit of a change that says that it is one of the size. */
const SIZE_CHANGES = 8;

/** A file as some process sees it. */
interface Node {
  readonly id: number;
  readonly name: string;
  bytes: Buffer;
}

interface Request {
  readonly node: number;
  readonly pid: number;
  readonly body: Buffer;
}

/** Bytes of the answer, or the number of an error. */
type Answer = Buffer | number;

const files = new Map<string, Buffer>();
const nodes = new Map<number, Node>();
const seen = new Map<string, Node>();

/** By the numbers of `linux/fuse.h`. */
const ANSWERS: Readonly<Record<number, (request: Request) => Answer>> = {
  1: ({ body, pid }) => {
    const name = nameAt(body, 0);
    return files.has(name) ? entry(nodeOf(name, pid)) : -NOT_THERE;
  },
  3: ({ node }) => Buffer.concat([Buffer.alloc(16), attributes(nodes.get(node))]),
  4: ({ node, body }) => {
    const file = nodes.get(node);
    if (file !== undefined && (body.readUInt32LE(0) & SIZE_CHANGES) !== 0)
      change(file, resized(file.bytes, Number(body.readBigUInt64LE(16))));
    return Buffer.concat([Buffer.alloc(16), attributes(file)]);
  },
  10: ({ body }) => {
    const name = nameAt(body, 0);
    if (!files.delete(name)) return -NOT_THERE;
    for (const [key, node] of seen) if (node.name === name) seen.delete(key);
    return Buffer.alloc(0);
  },
  14: opened,
  15: ({ node, body }) => {
    const from = Number(body.readBigUInt64LE(8));
    return nodes.get(node)?.bytes.subarray(from, from + body.readUInt32LE(16)) ?? -NOT_THERE;
  },
  16: ({ node, body }) => {
    const file = nodes.get(node);
    if (file === undefined) return -NOT_THERE;
    const [from, data] = [Number(body.readBigUInt64LE(8)), body.subarray(40)];
    const bytes = resized(file.bytes, Math.max(file.bytes.length, from + data.length));
    data.copy(bytes, from);
    change(file, bytes);
    const written = Buffer.alloc(8);
    written.writeUInt32LE(data.length);
    return written;
  },
  17: () => {
    const room = Buffer.alloc(80);
    for (const at of [0, 8, 16, 24, 32]) room.writeBigUInt64LE(1_000_000n, at);
    for (const at of [40, 44, 48]) room.writeUInt32LE(at === 44 ? 255 : 4096, at);
    return room;
  },
  18: done,
  20: done,
  25: done,
  26: () => {
    const terms = Buffer.alloc(64);
    terms.writeUInt32LE(7, 0);
    terms.writeUInt32LE(31, 4);
    terms.writeUInt32LE(MAX_WRITE, 20);
    return terms;
  },
  27: opened,
  28: done,
  29: done,
  35: ({ body, pid }) => {
    const name = nameAt(body, 16);
    files.set(name, Buffer.alloc(0));
    return Buffer.concat([entry(nodeOf(name, pid)), opened()]);
  },
};
/** Nobody waits for an answer to these. */
const UNANSWERED = [2, 36, 42];

function opened(): Buffer {
  return Buffer.alloc(16);
}

function done(): Buffer {
  return Buffer.alloc(0);
}

function nameAt(body: Buffer, at: number): string {
  return body.toString('utf8', at, body.indexOf(0, at));
}

/** Filled when a process first asks for it. */
function nodeOf(name: string, pid: number): Node {
  const key = `${cached === 'each' ? pid : ''} ${name}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const node = { id: ROOT + 1 + nodes.size, name, bytes: Buffer.from(files.get(name) ?? '') };
  seen.set(key, node);
  nodes.set(node.id, node);
  return node;
}

function change(node: Node, bytes: Buffer): void {
  node.bytes = bytes;
  if (files.has(node.name)) files.set(node.name, bytes);
}

function resized(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length))], length);
}

/** The kernel is to keep neither names nor sizes. */
function entry(node: Node): Buffer {
  const head = Buffer.alloc(40);
  head.writeBigUInt64LE(BigInt(node.id));
  return Buffer.concat([head, attributes(node)]);
}

function attributes(node: Node | undefined): Buffer {
  const bytes = Buffer.alloc(88);
  bytes.writeBigUInt64LE(BigInt(node?.id ?? ROOT), 0);
  bytes.writeBigUInt64LE(BigInt(node?.bytes.length ?? 0), 8);
  bytes.writeUInt32LE(node === undefined ? 0o040700 : 0o100600, 60);
  bytes.writeUInt32LE(1, 64);
  bytes.writeUInt32LE(4096, 80);
  return bytes;
}

const device = openSync('/dev/fuse', 'r+');
const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
// It inherits the device as descriptor 3.
execFileSync('mount', ['-i', '-t', 'fuse', '-o', options, 'memory', folder], {
  stdio: ['ignore', 'ignore', 'inherit', device],
});
const room = Buffer.alloc(MAX_WRITE + 4096);
for (;;) {
  let length: number;
  try {
    length = readSync(device, room);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code === 'ENODEV') break;
    throw error;
  }
  const operation = room.readUInt32LE(4);
  if (UNANSWERED.includes(operation)) continue;
  const answer = ANSWERS[operation]?.({
    node: Number(room.readBigUInt64LE(16)),
    pid: room.readUInt32LE(32),
    body: Buffer.from(room.subarray(HEAD_IN, length)),
  });
  const [error, bytes] = typeof answer === 'object' ? [0, answer] : [answer ?? -NOT_KNOWN, done()];
  const head = Buffer.alloc(HEAD_OUT);
  head.writeUInt32LE(HEAD_OUT + bytes.length, 0);
  head.writeInt32LE(error, 4);
  room.copy(head, 8, 8, 16);
  writeSync(device, Buffer.concat([head, bytes]));
}
