import './older-node.ts';
import { CLIENT } from './client-commands.ts';
import { runProgram } from './program.ts';

await runProgram(CLIENT);
