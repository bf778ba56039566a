const PRETENCE = `
  import { isMainThread } from 'node:worker_threads';
  if (process.env.TOCSIN_LAUNCHER !== undefined) process.stderr.write('Launched with ' + process.execArgv + '\\n');
  else if (isMainThread)
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.0' } });
`;

/**
 * An environment in which programs believe that an older Node runs them, until one is launched with a newer Node, which
 * tells its flags.
 */
export const OLD_NODE = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRETENCE)}` };
