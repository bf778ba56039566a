import { SERVICE } from './commands.ts';
import { runProgram } from './program.ts';

await runProgram(SERVICE);
