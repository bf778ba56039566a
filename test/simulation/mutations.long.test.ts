import { areCaught } from './mutations.test-suite.ts';
import { MUTATIONS } from './mutations.ts';

areCaught(MUTATIONS);
