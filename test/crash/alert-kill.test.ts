import { killAndReadNews } from './alert-kill.test-suite.ts';
import { ONE_ROUND } from './rounds.ts';

killAndReadNews(ONE_ROUND);
