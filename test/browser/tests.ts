/**
 * What pages do is the same in every theme and on every screen, so that `npm test` has tested it already when the long form
 * looks at all of them.
 */
import { type TestContext, test as testInBothForms } from 'node:test';
import { form } from '../form.ts';

/** A test of what pages do, which the long form leaves out. */
export function test(name: string, run: (context: TestContext) => Promise<void>): void {
  if (!form.isLong) testInBothForms(name, run);
}

/** A test that also looks at pages: in the long form `isAccessible` does, and `looks` are all of them. */
export const lookTest: typeof test = testInBothForms;
