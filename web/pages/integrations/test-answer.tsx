import type { ChannelTestJson } from '../../../src/wire/dashboard/channel-output.ts';
import { m } from '../../messages/index.ts';
import { Note } from '../../ui/note.tsx';

const words = m.integrations.test;

/** How a test went, with the words of the provider. */
export function TestAnswer({ result }: { readonly result: ChannelTestJson }) {
  const { ok, error, request, answer, seconds, off } = result;
  return (
    <div role="status">
      <Note kind={ok ? 'up' : 'down'}>
        <b className="font-semibold text-ink">
          {ok ? words.ok(words.milliseconds(Math.round(seconds * 1_000))) : words.failed}
        </b>{' '}
        {error} {off !== null && words.off}
        {(request !== '' || answer !== '') && (
          <p className="font-mono text-11 break-all">
            {request} → {answer === '' ? words.noAnswer : answer}
          </p>
        )}
      </Note>
    </div>
  );
}
