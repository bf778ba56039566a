import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, useDeferredValue } from 'react';
import { shownName } from '../../app/channel-names.ts';
import { type Answer, read } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { PlannedTime } from '../../ui/time.tsx';
import { type Choice, faultOf } from '../alerting/choice.ts';
import type { EditedPlace, Settings } from './settings.ts';
import { whole } from './use-preview.ts';

type Telling = NonNullable<Answer<'tellingMeaning'>>;

const t = m.alerts.meaning;

/** What the settings mean if the next run does not come. The server says so, by the rules of alerts themselves. */
export function TellingSentence({
  place,
  settings,
  choice,
}: {
  readonly place: EditedPlace;
  readonly settings: Settings;
  readonly choice: Choice;
}) {
  const { kind, timeout, schedule, tz, grace, run_rules, tags, channels, policy } =
    useDeferredValue(settings);
  const drafted = useDeferredValue(choice);
  const question = {
    ...{ kind, timeout: whole(timeout), schedule, tz, grace: whole(grace), run_rules, tags, channels },
    ...(drafted.is === 'named' ? { policy: drafted.name } : { policy, ...rulesOf(drafted) }),
  };
  const { data } = useQuery({
    queryKey: ['telling-meaning', place, question],
    queryFn: () => read.tellingMeaning({ ...place, ...question }),
    placeholderData: keepPreviousData,
    enabled: faultOf(drafted) === null,
    retry: false,
    gcTime: 10_000,
  });
  return (
    <p className="mt-1 min-h-5 text-13 text-ink-2" aria-live="polite">
      {data && faultOf(choice) === null && <Sentence telling={data} />}
    </p>
  );
}

/** The rules of a choice that the project may not have yet. */
function rulesOf({ way, hours }: Extract<Choice, { readonly is: 'way' }>) {
  const { then, ...others } = way.rules;
  const steps = then?.map(({ after, tell }) => ({ after, tell: [...tell] }));
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  return { rules: { ...others, ...(steps && { then: steps }) }, ...(hours && { hours }) };
}

function Sentence({ telling: { down, told, nobody } }: { readonly telling: Telling }) {
  return (
    <>
      {t.down} <PlannedTime at={down} />
      {told.length === 0 && (
        <>
          , {nobody?.until ? t.nobodyBefore : t.nobody}
          {nobody?.until && <PlannedTime at={nobody.until} />}
        </>
      )}
      {told.map(({ at, event, channels }) => (
        <Fragment key={`${at} ${event}`}>
          , {t[event](t.names(channels.map(shownName)))} <PlannedTime at={at} />
        </Fragment>
      ))}
      .
    </>
  );
}
