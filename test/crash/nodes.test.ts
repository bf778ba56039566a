import { pingThreeServers } from './nodes.test-suite.ts';

pingThreeServers(1_000);
