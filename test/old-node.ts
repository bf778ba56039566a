/** The program is launched when this is set, and believes in the Node that runs it. */
const LAUNCHED = 'TEST_LAUNCHED';

function pretence(version: string, hasExecve: boolean): string {
  return `
    import { isMainThread } from 'node:worker_threads';
    if (isMainThread && process.env.${LAUNCHED} !== undefined) {
      delete process.env.${LAUNCHED};
      process.stderr.write('Launched with ' + process.execArgv + '\\n');
    } else if (isMainThread) {
      process.env.${LAUNCHED} = 'yes';
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
      ${hasExecve ? '' : 'delete process.execve;'}
    }
  `;
}

function environment(version: string, hasExecve: boolean): { readonly NODE_OPTIONS: string } {
  const code = encodeURIComponent(pretence(version, hasExecve));
  return { NODE_OPTIONS: `--import=data:text/javascript,${code}` };
}

/**
 * An environment in which programs believe that an older Node runs them, until one is launched with a newer Node, which
 * tells its flags.
 */
export const OLD_NODE = environment('20.18.0', false);

/** The same with a Node that can put another one in its place. */
export const REPLACEABLE_NODE = environment('22.15.0', true);

/** The Node that runs the test. A program that it puts in its own place tells its flags. */
export const THIS_NODE = environment(process.versions.node, true);
