import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import type { TestResult } from './queries.ts';
import { TestAnswer } from './test-answer.tsx';

const words = m.integrations.setUp;

/** Tries the settings of the form, and keeps the result. */
export function DraftTest({
  tests,
  isBusy,
  onTest,
}: {
  /** The latest first. */
  readonly tests: readonly TestResult[];
  readonly isBusy: boolean;
  readonly onTest: () => void;
}) {
  const [latest, ...earlier] = tests;
  return (
    <Card
      title={words.test}
      action={
        <Button
          size="small"
          isBusy={isBusy}
          onClick={({ currentTarget }) => currentTarget.form?.reportValidity() && onTest()}
        >
          {m.integrations.test.sendTest}
        </Button>
      }
    >
      {latest === undefined ? (
        <p className="text-12 text-ink-3">{words.testLead}</p>
      ) : (
        <TestAnswer result={latest} />
      )}
      {earlier.length > 0 && (
        <>
          <h3 className="pt-3 pb-1 text-12 font-medium text-ink-3">{words.tries}</h3>
          <ol className="divide-y divide-line text-12">
            {earlier.map(({ ok, answer, error }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added at the front
              <li key={earlier.length - place} className="flex items-start gap-2 py-1.5">
                <Glyph shape={ok ? 'up' : 'down'} className="mt-0.5 size-3.5" />
                <span className="min-w-0 wrap-anywhere">
                  {(ok ? answer : error) || m.integrations.test.noAnswer}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Card>
  );
}
