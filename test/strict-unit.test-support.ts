/** Becomes the program in its arguments, with what a strict unit of systemd refuses being refused. */
import { refuseNetlinkAndPriorities } from './libc.ts';

const [program = '', ...args] = process.argv.slice(2);
refuseNetlinkAndPriorities();
process.execve?.(program, [program, ...args]);
