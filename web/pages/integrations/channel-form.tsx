import { type ReactNode, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { FootBar, SheetFootBar } from '../../ui/foot-bar.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { useFieldError } from '../../ui/form-state.ts';
import { PageBody } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { deviceName } from './device.ts';
import { type Draft, draftBody } from './draft.ts';
import { DraftTest } from './draft-test.tsx';
import { Preview } from './preview.tsx';
import type { ChannelDetails, ChannelKind, TestResult } from './queries.ts';
import { SettingField } from './setting-field.tsx';

const words = m.integrations.setUp;

/** The form for an integration, new or saved. It is made from the fields of its kind alone. */
export function ChannelForm<Saved>({
  project,
  kind,
  channel,
  start,
  save,
  head = null,
  onSaved,
  onCancel,
  children,
}: {
  readonly project: string;
  readonly kind: ChannelKind;
  /** Null: it is a new one. */
  readonly channel: ChannelDetails | null;
  readonly start: Draft;
  readonly save: (draft: Draft, start: Draft) => Promise<Saved>;
  /** Stands above it on a page of its own. Null: it stands in a sheet. */
  readonly head?: ReactNode;
  readonly onSaved: (saved: Saved) => void;
  readonly onCancel: () => void;
  /** Stands below the fields. */
  readonly children?: ReactNode;
}) {
  const [saved] = useState(start);
  const [draft, setDraft] = useState(saved);
  const test = useDraftTest(project, kind, channel, draft);
  const isNarrow = head === null;
  const fields = kind.fields.filter(({ isAdvanced }) => !isAdvanced);
  // Nothing is sent to a new number before somebody has entered its code.
  const isTestable = channel !== null || kind.confirmedBy !== 'code';
  const body = (
    <>
      {head}
      <div
        className={`grid grid-cols-[minmax(0,1fr)] gap-6 ${isNarrow ? '' : 'lg:grid-cols-[minmax(0,1fr)_minmax(0,400px)]'}`}
      >
        <div className="grid min-w-0 content-start gap-4">
          <div className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${isNarrow ? '' : 'md:grid-cols-2'}`}>
            <Field
              label={words.name}
              name="name"
              maxLength={TEXT_LIMITS.channelName}
              autoComplete="off"
              hint={words.nameHint}
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
            {fields.map((field) => (
              <div key={field.name} className={NARROW_CONTROLS.includes(field.control) ? 'min-w-0' : WIDE}>
                <SettingField
                  {...{ project, field }}
                  value={draft.settings[field.name]}
                  stored={channel?.settings[field.name] ?? null}
                  onValue={(value) =>
                    setDraft({
                      ...draft,
                      // A browser is told apart from others of the person by its name.
                      ...(field.control === 'push' && draft.name === '' && { name: deviceName(navigator) }),
                      settings: { ...draft.settings, [field.name]: value },
                    })
                  }
                />
              </div>
            ))}
          </div>
          <EventSwitches kind={kind} draft={draft} onDraft={setDraft} />
          <AdvancedFields {...{ project, kind, channel, draft }} onDraft={setDraft} />
          {children}
        </div>
        <div className="grid min-w-0 content-start gap-4">
          {isTestable && <DraftTest tests={test.results} isBusy={test.isBusy} onTest={test.send} />}
          <Preview {...{ project, kind, channel, draft }} />
        </div>
      </div>
      <FormError />
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
      <Submit className={isNarrow ? '' : 'max-md:flex-1'}>{words.save}</Submit>
    </>
  );
  return (
    <Form
      send={() => save(draft, saved)}
      done={onSaved}
      fault={test.error}
      className={isNarrow ? 'grid gap-5' : ''}
    >
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
    </Form>
  );
}

/** Two of these stand in a line where there is room. */
const NARROW_CONTROLS: readonly string[] = ['text', 'url', 'email', 'number', 'choice'];
const WIDE = 'col-span-full min-w-0';

function testWords(tests: readonly TestResult[]): string {
  const [last] = tests;
  if (last === undefined) return words.untested;
  return last.ok ? words.tested : words.testFailed;
}

/** Tries settings that are not saved. The latest result is the first. */
function useDraftTest(project: string, kind: ChannelKind, channel: ChannelDetails | null, draft: Draft) {
  const [results, setResults] = useState<readonly TestResult[]>([]);
  const [tested, setTested] = useState<Draft | null>(null);
  const { run, error, isBusy } = useShownAct(act.testChannelDraft, (result) => {
    setResults((earlier) => [result, ...earlier]);
    setTested(draft);
  });
  const send = () => run({ project, ...draftBody(kind, channel, draft) });
  return { error, results, tested, isBusy, send };
}

function EventSwitches({
  kind,
  draft,
  onDraft,
}: {
  readonly kind: ChannelKind;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}) {
  const error = useFieldError('events');
  return (
    <fieldset name="events" className="grid min-w-0">
      <legend className="pb-1 text-13 font-medium">{words.tellsOn}</legend>
      {kind.events.map((event) => (
        <div key={event} className="flex items-center gap-3 border-b border-line py-2.5">
          <span className="flex-1 text-13">{words.events[event]}</span>
          <Switch
            label={words.events[event]}
            isOn={draft.events.includes(event)}
            onChange={(isOn) =>
              onDraft({
                ...draft,
                events: kind.events.filter((one) => (one === event ? isOn : draft.events.includes(one))),
              })
            }
          />
        </div>
      ))}
      <ErrorText>{error && (draft.events.length === 0 ? words.noEvents : error)}</ErrorText>
    </fieldset>
  );
}
