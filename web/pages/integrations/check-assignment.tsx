import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ErrorText, Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { SheetFootBar } from '../../ui/foot-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { tell } from '../../ui/toasts.tsx';

const words = m.integrations.sheet;

/** Boxes that are drawn at once. */
const MAX_SHOWN = 200;

type AssignableCheck = Answer<'channelChecks'>[number];

interface Props {
  readonly project: string;
  readonly channel: string;
}

/** Which checks tell the integration. */
export function CheckAssignment({ project, channel }: Props) {
  const { data, error } = useQuery(query.channelChecks({ project, channel }));
  if (error !== null) return <ErrorText>{error.message}</ErrorText>;
  if (data === undefined) return <Skeleton className="h-30" />;
  if (data.length === 0) return <p className="text-13 text-ink-3">{words.noChecks}</p>;
  return <Assignment {...{ project, channel }} checks={data} />;
}

function Assignment({ project, channel, checks }: Props & { readonly checks: readonly AssignableCheck[] }) {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [search, setSearch] = useState('');
  const isChosen = ({ uuid, isAssigned }: AssignableCheck) => changed.get(uuid) ?? isAssigned;
  const chosen = checks.filter(isChosen);
  const found = matching(checks, search);
  const choose = (some: readonly AssignableCheck[], isOn: boolean) =>
    setChanged(new Map([...changed, ...some.map(({ uuid }) => [uuid, isOn] as const)]));
  const saving = useShownAct(act.assignChecks, ({ added, removed }) =>
    tell(words.savedChecks(added, removed)),
  );
  const save = () => saving.run({ project, channel, checks: chosen.map(({ uuid }) => uuid).join(',') });
  return (
    <div className="grid gap-3">
      <Field
        label={words.find}
        type="search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="flex-1 text-13 font-medium whitespace-nowrap">
          {words.counter(chosen.length, checks.length)}
        </p>
        <Button size="small" onClick={() => choose(found, true)}>
          {words.all}
        </Button>
        <Button size="small" onClick={() => choose(found, false)}>
          {words.none}
        </Button>
      </div>
      {found.length === 0 && <p className="text-13 text-ink-3">{words.nothingFound}</p>}
      <ul className="grid gap-2">
        {found.slice(0, MAX_SHOWN).map((check) => (
          <li key={check.uuid}>
            <Checkbox
              label={check.name || check.uuid}
              {...(check.tags !== '' && { hint: check.tags })}
              checked={isChosen(check)}
              onChange={(event) => choose([check], event.target.checked)}
            />
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && (
        <p className="text-12 text-ink-3">{words.more(found.length - MAX_SHOWN)}</p>
      )}
      <Refusal error={saving.error} />
      <SheetFootBar>
        <Button kind="primary" isBusy={saving.isBusy} onClick={save}>
          {words.saveChecks}
        </Button>
      </SheetFootBar>
    </div>
  );
}

function matching(checks: readonly AssignableCheck[], search: string): readonly AssignableCheck[] {
  const wanted = search.trim().toLowerCase();
  return checks.filter(({ name, tags }) => `${name} ${tags}`.toLowerCase().includes(wanted));
}
