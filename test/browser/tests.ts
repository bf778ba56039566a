/**
 * What pages do is the same in every theme and on every screen: `npm test` tests it once. The long form looks at all of them.
 */
import { type TestContext, test as testInEither } from 'node:test';
import { form } from '../form.ts';

/** A test of what pages do. */
export function test(name: string, run: (context: TestContext) => Promise<void>): void {
  if (!form.isLong) testInEither(name, run);
}

/** A test that looks at pages, in every theme and on every screen. Only the long form runs it. */
export function lookTest(name: string, run: (context: TestContext) => Promise<void>): void {
  if (form.isLong) testInEither(name, run);
}
