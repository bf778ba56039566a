import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type {
  ChannelDetailsJson,
  ChannelKindJson,
  ChannelTestJson,
} from '../../../src/wire/dashboard/channel-output.ts';
import { post } from '../../app/api.ts';
import { faultsOf, useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { FootBar, SheetFootBar } from '../../ui/foot-bar.tsx';
import { PageBody } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { changesOf, type Draft, draftBody, EVENTS } from './draft.ts';
import { DraftTest } from './draft-test.tsx';
import { Preview } from './preview.tsx';
import { channelPath, channelsPath, refreshChannels } from './queries.ts';
import { SettingField } from './setting-field.tsx';

const words = m.integrations.setUp;

/** The form for an integration, new or saved. It is made from the fields of its kind alone. */
export function ChannelForm({
  project,
  kind,
  channel,
  start,
  extraBody = {},
  head = null,
  onSaved,
  onCancel,
  children,
}: {
  readonly project: string;
  readonly kind: ChannelKindJson;
  /** Null: it is a new one. */
  readonly channel: ChannelDetailsJson | null;
  readonly start: Draft;
  /** What else is saved. */
  readonly extraBody?: object;
  /** What stands above it on a page of its own. Null: it stands in a sheet. */
  readonly head?: ReactNode;
  readonly onSaved: (saved: ChannelDetailsJson) => void;
  readonly onCancel: () => void;
  /** Stands below the fields. */
  readonly children?: ReactNode;
}) {
  const [saved] = useState(start);
  const [draft, setDraft] = useState(saved);
  const form = useRef<HTMLFormElement>(null);
  const queries = useQueryClient();
  const test = useDraftTest(project, kind, channel, draft);
  const saving = useForm(
    () =>
      post<ChannelDetailsJson>(
        channel === null ? channelsPath(project) : channelPath(project, channel.id),
        channel === null ? { kind: kind.kind, ...draft, ...extraBody } : changesOf(saved, draft),
      ),
    async (answer) => {
      await refreshChannels(queries, project);
      onSaved(answer);
    },
  );
  const paths = kind.fields.flatMap(({ name }) => pathsOf(name));
  const errorOf = (path: string) => saving.errorOf(`settings.${path}`) ?? test.errorOf(`settings.${path}`);
  const otherError = saving.otherError('name', 'events', ...paths) ?? test.otherError(...paths);
  const isNarrow = head === null;
  // Nothing is sent to a new number before somebody has entered its code.
  const isTestable = channel !== null || kind.confirmed_by !== 'code';
  const body = (
    <>
      {head}
      <div
        className={`grid grid-cols-[minmax(0,1fr)] gap-12 ${isNarrow ? '' : 'lg:grid-cols-[minmax(0,1fr)_minmax(0,400px)]'}`}
      >
        <div className="grid min-w-0 content-start gap-8">
          <div className={`grid grid-cols-[minmax(0,1fr)] gap-8 ${isNarrow ? '' : 'md:grid-cols-2'}`}>
            <Field
              label={words.name}
              name="name"
              maxLength={100}
              autoComplete="off"
              hint={words.nameHint}
              value={draft.name}
              error={saving.errorOf('name')}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
            {kind.fields.map((field) => (
              <div key={field.name} className={NARROW_CONTROLS.includes(field.control) ? 'min-w-0' : WIDE}>
                <SettingField
                  {...{ project, field, errorOf }}
                  value={draft.settings[field.name]}
                  stored={channel?.settings[field.name] ?? null}
                  onValue={(value) =>
                    setDraft({ ...draft, settings: { ...draft.settings, [field.name]: value } })
                  }
                />
              </div>
            ))}
          </div>
          <EventSwitches draft={draft} error={saving.errorOf('events')} onDraft={setDraft} />
          {children}
        </div>
        <div className="grid min-w-0 content-start gap-8">
          {isTestable && (
            <DraftTest
              tests={test.results}
              isBusy={test.isBusy}
              onTest={() => form.current?.reportValidity() && test.send()}
            />
          )}
          <Preview {...{ project, kind, channel, draft, form }} />
        </div>
      </div>
      {otherError !== null && <ErrorText>{otherError}</ErrorText>}
    </>
  );
  const foot = (
    <>
      <p className={`mr-auto text-12 text-ink-3 max-md:basis-full ${isNarrow ? '' : 'max-md:hidden'}`}>
        {isTestable ? testWords(test.tested === draft ? test.results : []) : words.confirmedFirst}
      </p>
      <Button className={isNarrow ? '' : 'max-md:flex-1'} onClick={onCancel}>
        {m.controls.cancel}
      </Button>
      <Button kind="primary" type="submit" className={isNarrow ? '' : 'max-md:flex-1'} isBusy={saving.isBusy}>
        {words.save}
      </Button>
    </>
  );
  return (
    <form ref={form} onSubmit={saving.onSubmit} className={isNarrow ? 'grid gap-10' : ''}>
      {isNarrow ? (
        <>
          {body}
          <SheetFootBar>{foot}</SheetFootBar>
        </>
      ) : (
        <>
          <PageBody>{body}</PageBody>
          <FootBar>{foot}</FootBar>
        </>
      )}
    </form>
  );
}

/** Two of these stand in a line where there is room. */
const NARROW_CONTROLS: readonly string[] = ['text', 'url', 'email', 'number', 'choice'];
const WIDE = 'col-span-full min-w-0';

/** Where faults of a setting are shown. */
const pathsOf = (name: string) =>
  [name, ...['method', 'url', 'headers', 'body'].map((part) => `${name}.${part}`)].map(
    (path) => `settings.${path}`,
  );

function testWords(tests: readonly ChannelTestJson[]): string {
  const [last] = tests;
  if (last === undefined) return words.untested;
  return last.ok ? words.tested : words.testFailed;
}

/** Tries settings that are not saved. The latest result is the first. */
function useDraftTest(
  project: string,
  kind: ChannelKindJson,
  channel: ChannelDetailsJson | null,
  draft: Draft,
) {
  const [results, setResults] = useState<readonly ChannelTestJson[]>([]);
  const [tested, setTested] = useState<Draft | null>(null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => post<ChannelTestJson>(`${channelsPath(project)}/test`, draftBody(kind, channel, draft)),
    onSuccess: (result) => {
      setResults((earlier) => [result, ...earlier]);
      setTested(draft);
    },
  });
  return { ...faultsOf(error), results, tested, isBusy: isPending, send: () => mutate() };
}

function EventSwitches({
  draft,
  error,
  onDraft,
}: {
  readonly draft: Draft;
  readonly error: string | null;
  readonly onDraft: (draft: Draft) => void;
}) {
  return (
    <fieldset className="grid min-w-0">
      <legend className="pb-2 text-13 font-medium">{words.tellsOn}</legend>
      {EVENTS.map((event) => (
        <div key={event} className="flex items-center gap-6 border-b border-line py-5">
          <span className="flex-1 text-13">{words.events[event]}</span>
          <Switch
            label={words.events[event]}
            isOn={draft.events.includes(event)}
            onChange={(isOn) =>
              onDraft({
                ...draft,
                events: EVENTS.filter((one) => (one === event ? isOn : draft.events.includes(one))),
              })
            }
          />
        </div>
      ))}
      {error !== null && <ErrorText>{draft.events.length === 0 ? words.noEvents : error}</ErrorText>}
    </fieldset>
  );
}
