import { killAndReadNews } from './alert-kill.test-suite.ts';
import { MANY_ROUNDS } from './rounds.ts';

killAndReadNews(MANY_ROUNDS);
