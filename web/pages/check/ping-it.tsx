import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import type { Destination } from '../../app/destination.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyButton, CopyField } from '../../ui/copy-field.tsx';
import { Note } from '../../ui/note.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { ShownCheck } from './queries.ts';
import { SNIPPET_KINDS, type SnippetKind, type SnippetOptions, snippetOf } from './snippets.ts';

const STORED = 'tocsin-snippet';
const USUAL: SnippetOptions & { readonly kind: SnippetKind } = {
  ...{ kind: 'crontab', start: false, exitStatus: true, output: false },
};

/** The last choice of the person, in this browser. */
function useChoice() {
  const [choice, setChoice] = useState(() => {
    try {
      const stored = JSON.parse(localStorage.getItem(STORED) ?? '{}');
      return SNIPPET_KINDS.includes(stored.kind) ? { ...USUAL, ...stored } : USUAL;
    } catch {
      return USUAL;
    }
  });
  const change = (next: typeof USUAL) => {
    setChoice(next);
    localStorage.setItem(STORED, JSON.stringify(next));
  };
  return [choice as typeof USUAL, change] as const;
}

/** The address to ping, and ready lines. Absent for people who may not ping. */
export function PingItCard({ check }: { readonly check: ShownCheck }) {
  const { pingUrl: url, address, schedule } = check;
  if (address === null) return null;
  const words = m.check.pingIt;
  const cut = (url?.lastIndexOf('/') ?? -1) + 1;
  return (
    <Card title={words.title} action={check.may.ping && <FormSwitch check={check} form={address.form} />}>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2.5">
        {address.problem !== null && <Problem check={check} problem={address.problem} />}
        {url !== null && (
          <>
            <CopyField
              label={words.url}
              text={url}
              shown={
                <>
                  <span className="text-ink-3">{url.slice(0, cut).replace(/^https?:\/\//, '')}</span>
                  {url.slice(cut)}
                </>
              }
            />
            <Snippets url={url} crontab={schedule.crontab} />
          </>
        )}
      </div>
    </Card>
  );
}

type Address = NonNullable<ShownCheck['address']>;

/** The person sees addresses of the form that they choose here. Pings of both forms work. */
function FormSwitch({ check, form }: { readonly check: ShownCheck; readonly form: Address['form'] }) {
  const words = m.check.pingIt;
  const choose = useAct(act.choosePingAddresses);
  return (
    <Segments
      label={words.form}
      choices={[
        { value: 'uuid', label: words.forms.uuid },
        { value: 'slug', label: words.forms.slug },
      ]}
      value={form}
      onChange={(next) => choose.run({ project: check.project.id, form: next })}
    />
  );
}

/** Why the address does not work, and where to mend that. */
function Problem({
  check,
  problem,
}: {
  readonly check: ShownCheck;
  readonly problem: NonNullable<Address['problem']>;
}) {
  const words = m.check.pingIt.problems[problem];
  const page: Destination =
    problem === 'no_ping_key'
      ? { to: '/projects/$project/settings/keys/', params: { project: check.project.id } }
      : { to: '/checks/$check/edit/', params: { check: check.uuid ?? '' } };
  return (
    <Note kind="late">
      {words.text}{' '}
      {check.may.edit && (
        <Link {...page} className="underline underline-offset-2">
          {words.link}
        </Link>
      )}
    </Note>
  );
}

/** Ready lines that ping an address. */
export function Snippets({
  url,
  crontab,
}: {
  readonly url: string;
  /** The time part of a crontab line. Null if none fits the schedule. */
  readonly crontab: string | null;
}) {
  const [choice, setChoice] = useChoice();
  const words = m.check.pingIt;
  const snippet = snippetOf(choice.kind, { ...choice, url, crontab });
  return (
    <Tabs
      label={words.snippets}
      tabs={SNIPPET_KINDS.map((name) => ({ name, label: words.kinds[name] }))}
      open={choice.kind}
      onOpen={(kind) => setChoice({ ...choice, kind })}
    >
      <div className="mb-2.5 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-12 text-ink-2">
        {(['start', 'exitStatus', 'output'] as const).map((option) => (
          <Checkbox
            key={option}
            label={`${words.with} ${words[option]}`}
            checked={choice[option]}
            onChange={(event) => setChoice({ ...choice, [option]: event.target.checked })}
          />
        ))}
      </div>
      <div className="relative min-w-0 rounded-control border border-line bg-sunken">
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          aria-label={words.code(words.kinds[choice.kind])}
          className="overflow-x-auto"
        >
          <pre className="px-3.5 pt-3 pb-2 text-12 leading-[19px] [overflow-wrap:anywhere] whitespace-pre-wrap">
            {snippet}
          </pre>
        </section>
        <div className="flex justify-end px-2 pb-2">
          <CopyButton size="small" text={snippet} label={words.copySnippet} />
        </div>
      </div>
    </Tabs>
  );
}
