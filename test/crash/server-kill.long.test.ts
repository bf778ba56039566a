import { MANY_ROUNDS } from './rounds.ts';
import { killAndReadChecks } from './server-kill.test-suite.ts';

killAndReadChecks(MANY_ROUNDS);
