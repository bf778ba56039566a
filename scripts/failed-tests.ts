/** A reporter for Node's test runner. It tells of the tests that failed and why, and in the end how many ran. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail') yield failure(data);
    // Each process has a summary of its own as well.
    if (type === 'test:summary' && data.file === undefined) yield summary(data);
  }
}

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];
type Summary = Extract<TestEvent, { type: 'test:summary' }>['data'];

function failure({ name, file, line, details: { error } }: Failed): string {
  const { failureType, cause } = error as Error & { failureType?: string };
  // A suite fails with its tests, which were told of.
  if (failureType === 'subtestsFailed') return '';
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line}: `;
  const reason = cause instanceof Error ? cause.stack : error.message;
  return `FAILED ${place}${name}\n${reason?.replace(/^/gm, '    ')}\n`;
}

function summary({ counts, duration_ms }: Summary): string {
  const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
  return `${counts.tests} tests in ${Math.round(duration_ms / 1_000)} s, ${failed} failed\n`;
}
