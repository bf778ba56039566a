import { useState } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import { act } from '../../app/act.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Note } from '../../ui/note.tsx';
import { Ago } from '../../ui/time.tsx';
import type { ShownCheck } from './queries.ts';

interface Props {
  readonly check: ShownCheck;
  /** The check in the address. */
  readonly name: string;
}

const t = m.check.origins;

/** Pings that contradict the timing, with the timing that would fit. */
export function TimingHint({ check, name }: Props) {
  const { hint, may } = check;
  const [isAsked, setIsAsked] = useState(false);
  const accept = useAct(act.acceptTiming);
  if (hint === null) return null;
  return (
    <div className="px-6 pb-4 max-md:px-4">
      <Note
        kind="late"
        action={
          may.edit && (
            <div className="flex flex-wrap gap-2">
              <Button size="small" onClick={() => setIsAsked(true)}>
                {t.set(hint.words)}
              </Button>
              <Button
                size="small"
                kind="ghost"
                isBusy={accept.isBusy}
                onClick={() => accept.run({ check: name })}
              >
                {t.isRight}
              </Button>
            </div>
          )
        }
      >
        {hint.sentence}
      </Note>
      {isAsked && (
        <FormDialog
          title={t.setTitle}
          action={t.set(hint.words)}
          send={() =>
            act.updateCheck({ check: name, kind: 'simple', timeout: hint.timeout, grace: hint.grace })
          }
          onClose={() => setIsAsked(false)}
        >
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-13">
            <dt className="text-ink-3">{m.check.schedule.title}</dt>
            <dd>{hint.words}</dd>
            <dt className="text-ink-3">{t.fields.grace}</dt>
            <dd>{spanText(micros(hint.grace))}</dd>
          </dl>
        </FormDialog>
      )}
    </div>
  );
}

/** Who has set the settings, as far as it was not a person, and what the job declares. Absent if there is nothing to tell. */
export function OriginsCard({ check, name }: Props) {
  const { fields, kept, refused, dispute } = check.origins;
  const follow = useAct(act.followJob);
  const others = fields.filter(({ by }) => by !== 'person');
  if (others.length + kept.length + dispute.length === 0 && refused === null) return null;
  const isFollowed = kept.some(({ field }) =>
    fields.some((one) => one.field === field && (one.by === 'person' || one.by === 'api')),
  );
  return (
    <Card title={t.title}>
      <div className="grid gap-2.5">
        {dispute.length > 0 && (
          <Note kind="late">
            <p>{t.dispute}</p>
            <ul>
              {dispute.map(({ from, given }) => (
                <li key={given}>
                  {from ?? t.nowhere}: <code className="break-all">{given}</code>
                </li>
              ))}
            </ul>
          </Note>
        )}
        {refused !== null && (
          <Note kind="late">
            {t.refused} <span className="break-words">{refused.reason}</span>
          </Note>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-12 empty:hidden">
          {others.map(({ field, by, name: who, at }) => (
            <div key={field} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{t.fields[field]}</dt>
              <dd className="text-right [overflow-wrap:anywhere]">
                {t.from[by](who)}
                {at !== null && (
                  <>
                    , <Ago at={at} />
                  </>
                )}
              </dd>
            </div>
          ))}
          {kept.map(({ field, declared }) => (
            <div key={`kept ${field}`} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{t.declares(t.fields[field])}</dt>
              <dd className="text-right [overflow-wrap:anywhere]">
                <code>{declared}</code>
              </dd>
            </div>
          ))}
        </dl>
        {check.may.edit && isFollowed && (
          <div>
            <Button size="small" isBusy={follow.isBusy} onClick={() => follow.run({ check: name })}>
              {t.follow}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

/** Tells before an edit what a file will undo. Absent if no file has set anything. */
export function FileNote({ origins }: Pick<ShownCheck, 'origins'>) {
  const declared = origins.fields.filter(({ by }) => by === 'file');
  const [first] = declared;
  if (first === undefined) return null;
  const names = declared.map(({ field }) => t.fields[field]).join(', ');
  return (
    <div className="px-6 pt-4 max-md:px-4">
      <Note kind="late">{t.file(names, first.name)}</Note>
    </div>
  );
}
