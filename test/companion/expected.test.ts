import { describeExpected } from './expected.test-suite.ts';
import { SOURCES } from './wrapper.ts';

describeExpected('of this checkout', SOURCES);
