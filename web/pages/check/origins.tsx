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
          <FileNote origins={check.origins} only={['timing', 'grace']} />
        </FormDialog>
      )}
    </div>
  );
}

/** Who has set the settings, as far as it was not a person, and what the job declares. Absent if there is nothing to tell. */
export function OriginsCard({ check, name }: Props) {
  const { fields, kept, refused, dispute } = check.origins;
  const follow = useAct(act.followJob);
  const declaredOf = (field: string) => kept.find((one) => one.field === field)?.declared;
  const shown = fields.filter(({ by, field }) => by !== 'person' || declaredOf(field) !== undefined);
  if (shown.length + dispute.length === 0 && refused === null) return null;
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
              {dispute.map(({ from, declared }) => (
                <li key={declared.join('&')} className="mt-1 [overflow-wrap:anywhere]">
                  {from ?? t.nowhere}
                  {declared.map((part) => (
                    <code key={part} className="block pl-2.5">
                      {part}
                    </code>
                  ))}
                </li>
              ))}
            </ul>
          </Note>
        )}
        {refused !== null && (
          <Note kind="late">
            <p>
              {t.refused} <span className="[overflow-wrap:anywhere]">{refused.reason}</span>
            </p>
            <p className="text-ink-3">
              {refused.from ?? t.nowhere}
              {refused.at !== null && (
                <>
                  , <Ago at={refused.at} />
                </>
              )}
            </p>
          </Note>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-12 empty:hidden">
          {shown.map(({ field, by, name: who, at }) => (
            <div key={field} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{t.fields[field]}</dt>
              <dd className="text-right [overflow-wrap:anywhere]">
                {t.from[by](who)}
                {at !== null && (
                  <>
                    , <Ago at={at} />
                  </>
                )}
                {declaredOf(field) !== undefined && (
                  <div>
                    {t.declares} <code>{declaredOf(field)}</code>
                  </div>
                )}
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
export function FileNote({
  origins,
  only,
}: Pick<ShownCheck, 'origins'> & {
  /** The fields that are edited. Absent: any. */
  readonly only?: readonly string[];
}) {
  const declared = origins.fields.filter(({ by, field }) => by === 'file' && (only?.includes(field) ?? true));
  const bySource = [...Map.groupBy(declared, ({ name }) => name)];
  return bySource.map(([source, fields]) => (
    <Note key={source} kind="late">
      {t.file(fields.map(({ field }) => t.fields[field]).join(', '), source)}
    </Note>
  ));
}
