import { pingThreeServers } from './nodes.test-suite.ts';

/** NODE_PINGS=100000 sends more. */
pingThreeServers(Number(process.env.NODE_PINGS ?? 10_000));
