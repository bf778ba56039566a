import { NO_PRIVATE_ADDRESS } from '../../../src/lib/private-address.ts';
import { m } from '../../messages/index.ts';
import { Note } from '../../ui/note.tsx';
import type { TestResult } from './queries.ts';

const words = m.integrations.test;

/** The result of a test, with the words of the provider. */
export function TestAnswer({ result }: { readonly result: TestResult }) {
  const { ok, error, request, answer, seconds, isOff } = result;
  return (
    <div role="status">
      <Note kind={ok ? 'up' : 'down'}>
        <b className="font-semibold text-ink">
          {ok ? words.ok(words.milliseconds(Math.round(seconds * 1_000))) : words.failed}
        </b>{' '}
        {error} {error === NO_PRIVATE_ADDRESS && words.allowPrivate} {isOff && words.off}
        {(request !== '' || answer !== '') && (
          <p className="font-mono text-11 break-all">
            {request} → {answer === '' ? words.noAnswer : answer}
          </p>
        )}
      </Note>
    </div>
  );
}
