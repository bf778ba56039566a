import { ONE_ROUND } from './rounds.ts';
import { killAndReadChecks } from './server-kill.test-suite.ts';

killAndReadChecks(ONE_ROUND);
