/** The program of a process that has files and network where the first one could not end: see `child.ts` and `run/remote-pings.ts`. */
import { mainOfSecondProcess } from './main.ts';

void mainOfSecondProcess(process.argv.slice(2));
