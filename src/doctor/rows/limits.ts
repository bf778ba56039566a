import { together, warn } from '../look.ts';
import type { Row } from '../row.ts';

const MIN_OPEN_FILES = 4_096;
const MEGABYTE = 1024 * 1024;
const MIN_MEMORY_BYTES = 256 * MEGABYTE;

export const limits: Row = {
  name: 'limits',
  looksAt: 'open files and memory that the system grants',
  fails: null,
  warns: `fewer than ${MIN_OPEN_FILES} open files, less memory than ${MIN_MEMORY_BYTES / MEGABYTE} MB`,
  look: async ({ world: { machine } }) => {
    const [files, memory] = [machine.openFiles(), machine.memoryBytes()];
    const megabytes = Math.floor(memory / MEGABYTE);
    const shown = Number.isFinite(files) ? `${files}` : 'any number of';
    return together(
      [
        files < MIN_OPEN_FILES
          ? warn(
              `This process may open ${files} files and connections.`,
              `Allow ${MIN_OPEN_FILES} or more: ulimit -n, or LimitNOFILE= of a unit.`,
            )
          : null,
        memory < MIN_MEMORY_BYTES
          ? warn(
              `This process may use ${megabytes} MB of memory.`,
              `Give it ${MIN_MEMORY_BYTES / MEGABYTE} MB or more.`,
            )
          : null,
      ],
      `It may open ${shown} files and connections, and use ${megabytes} MB of memory.`,
    );
  },
};
