/** What tests ask of Linux and Node has no function for. */
import { dlopen, getRawPointer } from 'node:ffi';

/** Of x64 and arm64, in this order: https://github.com/torvalds/linux/blob/master/include/uapi/asm-generic/unistd.h */
const SYSTEM_CALLS = { socket: [41, 198], setpriority: [141, 140] } as const;

const AF_INET = 2;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const EPERM = 1;
const EAFNOSUPPORT = 97;
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2n;

function libc() {
  return dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    bind: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
    listen: { arguments: ['i32', 'i32'], return: 'i32' },
    close: { arguments: ['i32'], return: 'i32' },
    prctl: { arguments: ['i32', 'u64', 'pointer', 'u64', 'u64'], return: 'i32' },
  }).functions;
}

/** A socket of this process that listens on the loopback address, and on which nobody here accepts. */
export function listenWithoutAccepting(port: number): Disposable & { readonly descriptor: number } {
  const { socket, bind, listen, close } = libc();
  const descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const address = Buffer.alloc(16);
  new Uint16Array(address.buffer, address.byteOffset, 1)[0] = AF_INET;
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  if (bind(descriptor, address, address.length) !== 0 || listen(descriptor, 100) !== 0)
    throw new Error(`cannot listen on port ${port}`);
  return { descriptor, [Symbol.dispose]: () => void close(descriptor) };
}

/**
 * From now on the kernel refuses this thread, and all programs that it starts, sockets for netlink and changes of priorities:
 * https://docs.kernel.org/userspace-api/seccomp_filter.html
 */
export function refuseNetlinkAndPriorities(): void {
  const { prctl } = libc();
  const number = (name: keyof typeof SYSTEM_CALLS) => SYSTEM_CALLS[name][process.arch === 'arm64' ? 1 : 0];
  const load = (offset: number) => instruction(0x20, 0, 0, offset);
  const ifEqual = (value: number, yes: number, no: number) => instruction(0x15, yes, no, value);
  const answer = (value: number) => instruction(0x06, 0, 0, value);
  const refuse = (code: number) => answer(0x00050000 + code);
  const program = Buffer.concat([
    load(0),
    ifEqual(number('setpriority'), 0, 1),
    refuse(EPERM),
    ifEqual(number('socket'), 0, 3),
    load(16),
    ifEqual(AF_NETLINK, 0, 1),
    refuse(EAFNOSUPPORT),
    answer(0x7fff0000),
  ]);
  const header = Buffer.alloc(16);
  header.writeUInt16LE(program.length / 8, 0);
  header.writeBigUInt64LE(getRawPointer(program), 8);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0)
    throw new Error('the kernel does not promise to give no new rights');
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0n, 0n) !== 0)
    throw new Error('the kernel takes no filter');
}

/** An instruction of the classic Berkeley packet filter. */
function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
