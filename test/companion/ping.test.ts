import { describeCommands } from './ping.test-suite.ts';
import { SOURCES } from './wrapper.ts';

describeCommands('of this checkout', SOURCES);
