import { type ComponentProps, use, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Segments } from '../../ui/segments.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { instantOf } from '../../ui/times.ts';
import { tell } from '../../ui/toasts.tsx';
import { Section } from './section.tsx';
import type { Notice, NoticeUpdate, StatusPage } from './status-page-types.ts';

/** An unsaved update of an incident, for the preview. */
export interface WrittenUpdate {
  readonly notice: string | null;
  readonly title: string;
  readonly state: NoticeUpdate['state'];
  readonly text: string;
}

interface Shared {
  readonly project: string;
  readonly page: StatusPage;
  readonly isWriter: boolean;
}

/** The incidents that are open, and a form for a new one. */
export function Incidents({
  project,
  page,
  isWriter,
  onWrite,
}: Shared & { readonly onWrite: (update: WrittenUpdate | null) => void }) {
  const [isOpening, setIsOpening] = useState(false);
  const open = page.notices.filter(({ kind, phase }) => kind === 'incident' && phase === 'open');
  return (
    <Section
      title={m.statusPages.incident}
      lead={open.length === 0 ? m.statusPages.incidentNone : m.statusPages.incidentOpen}
      action={
        isWriter &&
        !isOpening &&
        page.components.length > 0 && (
          <Button size="small" onClick={() => setIsOpening(true)}>
            {m.statusPages.openIncident}
          </Button>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {isOpening && (
          <NewIncident
            project={project}
            page={page}
            onWrite={onWrite}
            onClose={() => {
              setIsOpening(false);
              onWrite(null);
            }}
          />
        )}
        {open.map((notice) => (
          <OpenIncident
            key={notice.uuid}
            project={project}
            page={page}
            notice={notice}
            isWriter={isWriter}
            onWrite={onWrite}
          />
        ))}
      </div>
    </Section>
  );
}

const BOX = 'mt-2.5 grid gap-3 rounded-card border border-line px-4 py-3.5';

function NewIncident({
  project,
  page,
  onWrite,
  onClose,
}: Omit<Shared, 'isWriter'> & {
  readonly onWrite: (update: WrittenUpdate | null) => void;
  readonly onClose: () => void;
}) {
  const bad = page.components.filter(({ state }) => state === 'down' || state === 'late');
  const names = bad
    .map(({ name }) => name)
    .slice(0, 3)
    .join(', ');
  const [title, setTitle] = useState(bad.length === 0 ? '' : m.statusPages.incidentPrefill(names));
  const [update, setUpdate] = useState<Update>({ state: 'looking', text: '' });
  const [touched, setTouched] = useState<readonly string[]>(bad.map(({ id }) => id));
  return (
    <Form
      className={BOX}
      send={() => act.openIncident({ project, page: page.uuid, title, components: touched, ...update })}
      done={() => {
        tell(m.statusPages.updatePublished);
        onClose();
      }}
    >
      <Field
        label={m.statusPages.incidentTitle}
        name="title"
        value={title}
        required
        maxLength={TEXT_LIMITS.statusTitle}
        onChange={(event) => {
          setTitle(event.target.value);
          onWrite({ notice: null, ...update, title: event.target.value });
        }}
      />
      <UpdateFields
        states={page.incidentStates.filter((one) => one.state !== 'over')}
        update={update}
        onChange={(changed) => {
          setUpdate(changed);
          onWrite({ notice: null, title, ...changed });
        }}
      />
      <Touched page={page} ids={touched} onChange={setTouched} />
      <FormError />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Submit>{m.statusPages.publishIncident}</Submit>
      </div>
    </Form>
  );
}

/** The incident's state, and a text. */
type Update = Pick<WrittenUpdate, 'state' | 'text'>;

function UpdateFields({
  states,
  update,
  onChange,
}: {
  readonly states: StatusPage['incidentStates'];
  readonly update: Update;
  readonly onChange: (update: Update) => void;
}) {
  return (
    <>
      <div className="flex">
        <Segments
          label={m.statusPages.state}
          value={update.state}
          choices={states.map(({ state, words }) => ({ value: state as Update['state'], label: words }))}
          onChange={(state) => onChange({ ...update, state })}
        />
      </div>
      <UpdateText
        value={update.text}
        onChange={(event) => onChange({ ...update, text: event.target.value })}
      />
    </>
  );
}

function UpdateText(props: Partial<ComponentProps<typeof TextArea>>) {
  return (
    <TextArea
      label={m.statusPages.text}
      name="text"
      hint={m.statusPages.textHint}
      required
      rows={3}
      maxLength={TEXT_LIMITS.statusUpdate}
      {...props}
    />
  );
}

function Touched({
  page,
  ids,
  onChange,
}: {
  readonly page: StatusPage;
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-13 font-medium">{m.statusPages.touches}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {page.components.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={ids.includes(id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...ids, id] : ids.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function OpenIncident({
  project,
  page,
  notice,
  isWriter,
  onWrite,
}: Shared & {
  readonly notice: Notice;
  readonly onWrite: (update: WrittenUpdate | null) => void;
}) {
  const [update, setUpdate] = useState<Update>({ state: notice.updates[0]?.state ?? 'looking', text: '' });
  const change = (changed: Update) => {
    setUpdate(changed);
    onWrite(changed.text.trim() === '' ? null : { notice: notice.uuid, title: notice.title, ...changed });
  };
  return (
    <div className={BOX}>
      <div>
        <h3 className="text-14">{notice.title}</h3>
        <p className="text-12 text-ink-3">{notice.words}</p>
      </div>
      {isWriter && (
        <Form
          isKept
          className="grid grid-cols-[minmax(0,1fr)] gap-3"
          send={() => act.postNoticeUpdate({ project, page: page.uuid, notice: notice.uuid, ...update })}
          done={() => {
            setUpdate({ ...update, text: '' });
            onWrite(null);
            tell(m.statusPages.updatePublished);
          }}
        >
          <UpdateFields states={page.incidentStates} update={update} onChange={change} />
          <FormError />
          <div className="flex justify-end">
            <Submit size="small">{m.statusPages.publishUpdate}</Submit>
          </div>
        </Form>
      )}
      <Updates project={project} page={page} notice={notice} isWriter={isWriter} />
    </div>
  );
}

function Updates({ notice, ...shared }: Shared & { readonly notice: Notice }) {
  return (
    <ol className="ml-1.5 grid gap-3.5 border-l-[1.5px] border-line-2 pl-4.5">
      {notice.updates.map((update) => (
        <PublishedUpdate key={update.uuid} notice={notice} update={update} {...shared} />
      ))}
    </ol>
  );
}

function PublishedUpdate({
  project,
  page,
  notice,
  update,
  isWriter,
}: Shared & { readonly notice: Notice; readonly update: NoticeUpdate }) {
  const [text, setText] = useState<string | null>(null);
  const given = { project, page: page.uuid, notice: notice.uuid, update: update.uuid };
  return (
    <li className="relative grid gap-1 before:absolute before:top-1.5 before:-left-[23px] before:size-2 before:rounded-full before:bg-ink-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        {notice.kind === 'incident' && <b>{update.stateWords}</b>}
        <span className="text-12 text-ink-3">
          <ClockTime at={update.at} /> {m.statusPages.by(update.author)}
        </span>
        {isWriter && text === null && (
          <Button size="small" kind="ghost" onClick={() => setText(update.text)}>
            {m.statusPages.edit}
          </Button>
        )}
      </div>
      {text === null ? (
        <p className="whitespace-pre-line text-ink-2">{update.text}</p>
      ) : (
        <Form
          className="grid grid-cols-[minmax(0,1fr)] gap-2"
          send={() => act.correctNoticeUpdate({ ...given, text })}
          done={() => setText(null)}
        >
          <TextArea
            label={m.statusPages.text}
            value={text}
            required
            rows={3}
            maxLength={TEXT_LIMITS.statusUpdate}
            onChange={(event) => setText(event.target.value)}
          />
          <FormError />
          <div className="flex gap-2">
            <Submit size="small">{m.statusPages.correct}</Submit>
            <Button size="small" onClick={() => setText(null)}>
              {m.controls.cancel}
            </Button>
          </div>
        </Form>
      )}
    </li>
  );
}

/** Planned and current ones, a form for more, and past ones. */
export function Maintenances({ project, page, isWriter }: Shared) {
  const [isPlanning, setIsPlanning] = useState(false);
  const current = page.notices.filter(({ kind, phase }) => kind === 'maintenance' && phase !== 'over');
  const past = page.notices.filter(({ phase }) => phase === 'over');
  return (
    <Section
      title={m.statusPages.maintenance}
      lead={current.length === 0 ? m.statusPages.maintenanceNone : m.statusPages.maintenanceLead}
      action={
        isWriter &&
        !isPlanning && (
          <Button size="small" onClick={() => setIsPlanning(true)}>
            {m.statusPages.plan}
          </Button>
        )
      }
    >
      {isPlanning && <NewMaintenance project={project} page={page} onClose={() => setIsPlanning(false)} />}
      {current.map((notice) => (
        <NoticeBox key={notice.uuid} project={project} page={page} notice={notice} isWriter={isWriter} />
      ))}
      {past.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-12 font-medium text-ink-2">{m.statusPages.past}</summary>
          {past.map((notice) => (
            <NoticeBox key={notice.uuid} project={project} page={page} notice={notice} isWriter={isWriter} />
          ))}
        </details>
      )}
    </Section>
  );
}

function NoticeBox({ notice, ...shared }: Shared & { readonly notice: Notice }) {
  const { project, page, isWriter } = shared;
  const deletion = useShownAct(act.deleteNotice, () => tell(m.statusPages.deleted));
  return (
    <div className={BOX}>
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1">
          <h3 className="text-14">{notice.title}</h3>
          <p className="text-12 text-ink-3">{notice.words}</p>
        </div>
        {isWriter && (
          <Button
            size="small"
            kind="danger"
            isBusy={deletion.isBusy}
            onClick={() => deletion.run({ project, page: page.uuid, notice: notice.uuid })}
          >
            {m.statusPages.delete}
          </Button>
        )}
      </div>
      <Refusal error={deletion.error} />
      <Updates notice={notice} {...shared} />
    </div>
  );
}

function NewMaintenance({
  project,
  page,
  onClose,
}: Omit<Shared, 'isWriter'> & { readonly onClose: () => void }) {
  const [touched, setTouched] = useState<readonly string[]>([]);
  const style = { ...use(PersonsTimes), tz: page.tz };
  const timeOf = (field: string) => {
    const at = instantOf(field, style);
    return at === null ? null : new Date(at).toISOString();
  };
  return (
    <Form
      className={BOX}
      send={({ title = '', text = '', starts = '', ends = '' }) => {
        const times = { starts: timeOf(starts), ends: timeOf(ends) };
        return act.planMaintenance({ project, page: page.uuid, title, text, components: touched, ...times });
      }}
      done={onClose}
    >
      <Field label={m.statusPages.planTitle} name="title" required maxLength={TEXT_LIMITS.statusTitle} />
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <Field
          label={m.statusPages.starts}
          name="starts"
          type="datetime-local"
          required
          hint={m.statusPages.pageTime(page.tz)}
        />
        <Field label={m.statusPages.ends} name="ends" type="datetime-local" required />
      </div>
      <UpdateText />
      <Touched page={page} ids={touched} onChange={setTouched} />
      <FormError />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Submit>{m.statusPages.announce}</Submit>
      </div>
    </Form>
  );
}
