import { describeRuns } from './run.test-suite.ts';
import { SOURCES } from './wrapper.ts';

describeRuns('of this checkout', SOURCES);
