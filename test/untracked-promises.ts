/**
 * Loaded before each file of tests. To find the test that a stray error belongs to, Node's runner follows every promise,
 * which takes a sixth of the time of tests that wait for many. Here it does not: a stray error fails the file and not a
 * test, and is written with its stack.
 */
import asyncHooks from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { createHook } = asyncHooks;
  const forRunner = (callbacks: asyncHooks.HookCallbacks) => {
    // The runner makes the first hook, when the first test is declared, and then listens for stray errors itself.
    Object.assign(asyncHooks, { createHook });
    process.on('unhandledRejection', (error) => console.error(error));
    process.on('uncaughtExceptionMonitor', (error) => console.error(error));
    return createHook({ ...callbacks, trackPromises: false });
  };
  Object.assign(asyncHooks, { createHook: forRunner });
}
