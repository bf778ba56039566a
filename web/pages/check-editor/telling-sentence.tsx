import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { read } from '../../app/read.ts';
import { PlannedTime } from '../../ui/time.tsx';
import { faultOf } from '../alerting/choice.ts';
import { askedChoice, type Choice } from '../alerting/chosen.ts';
import type { EditedPlace, Settings } from './settings.ts';
import { meaningParts } from './telling-words.ts';
import { whole } from './use-preview.ts';

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
    ...askedChoice(drafted, policy),
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
      {data &&
        faultOf(choice) === null &&
        meaningParts(data).map((part, place) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: it stands in its place
          typeof part === 'string' ? part : <PlannedTime key={place} at={part.at} />,
        )}
    </p>
  );
}
