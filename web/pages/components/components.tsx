import { type ReactNode, useState } from 'react';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Chip } from '../../ui/chip.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { KindMark } from '../../ui/kind-mark.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Note } from '../../ui/note.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { type ShownStatus, StatusPill } from '../../ui/status-pill.tsx';
import { Switch } from '../../ui/switch.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { tell, tellError, tellWithUndo } from '../../ui/toasts.tsx';

const t = m.components;

const STATUSES: readonly ShownStatus[] = ['up', 'late', 'down', 'running', 'paused', 'new', 'unknown'];
const DURATIONS = [42, 44, 47, 51, 43, 43, 45, 52, 43, 61, 50, 43, 48, 47, 46, 55, 42, 41, 54, 47];
const SHAPES: readonly Shape[] = ['up', 'retrying', 'down', 'waiting', 'off', 'missed', 'start', 'log'];

/** With a picture, with letters of our choice, and with letters of the name. */
const KINDS = [
  { kind: 'email', label: 'Email' },
  { kind: 'slack', label: 'Slack' },
  { kind: 'matrix', label: 'Matrix' },
  { kind: 'googlechat', label: 'Google Chat' },
  { kind: 'github', label: 'GitHub' },
  { kind: 'discord', label: 'Discord' },
] as const;

/** Every part of the pages in its states, for developers. */
export function Components() {
  return (
    <Page title={m.shell.components}>
      <h1 className="sr-only">{m.shell.components}</h1>
      <div className="grid gap-4 p-6 max-md:p-4 lg:grid-cols-3">
        <Statuses />
        <Buttons />
        <Choices />
        <Inputs />
        <Notes />
        <Overlays />
        <Card title={t.once} className="lg:col-span-2">
          <ShownOnce title={t.key} secret={t.secret} onStored={() => tell(m.controls.stored)} />
        </Card>
        <Card title={t.durations}>
          <Sparkline durations={DURATIONS} median={46} p95={61} />
        </Card>
        <Card title={t.kinds}>
          <Row>
            {KINDS.map((kind) => (
              <span key={kind.kind} className="inline-flex items-center gap-1.5 text-12">
                <KindMark {...kind} className="size-4" />
                {kind.label}
              </span>
            ))}
          </Row>
        </Card>
        <Card title={t.empty}>
          <Blank shape="missed" title={t.nothing}>
            {t.nothingLead}
          </Blank>
        </Card>
      </div>
    </Page>
  );
}

function Row({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-x-3.5 gap-y-2.5 pb-3 last:pb-0">{children}</div>;
}

function Statuses() {
  return (
    <Card title={t.statuses}>
      <Row>
        {STATUSES.map((status) => (
          <StatusPill key={status} status={status} />
        ))}
      </Row>
      <Row>
        <StatusPill status="down" size="large" sentence={t.sentence} />
        <StatusPill status="late" size="large" />
      </Row>
      <Row>
        {SHAPES.map((shape) => (
          <span key={shape} className="inline-flex items-center gap-1.5 text-12">
            <Glyph shape={shape} />
            {t.shapes[shape as keyof typeof t.shapes]}
          </span>
        ))}
      </Row>
      <Row>
        <Chip>prod</Chip>
        <Chip>
          <Glyph shape="down" className="size-3" />
          backup
        </Chip>
        <Kbd>K</Kbd>
        <Skeleton />
      </Row>
    </Card>
  );
}

function Buttons() {
  return (
    <Card title={t.buttons}>
      <Row>
        <Button kind="primary">{t.add}</Button>
        <Button>{m.controls.cancel}</Button>
        <Button kind="ghost">{t.quiet}</Button>
        <Button kind="danger">{t.delete}</Button>
        <Button disabled>{m.controls.save}</Button>
        <Button isBusy>{m.controls.save}</Button>
      </Row>
      <Row>
        <Button size="small">{t.small}</Button>
        <Button size="large" kind="primary">
          {t.large}
        </Button>
      </Row>
      <CopyField label={t.address} text="https://ping.example.org/f3a1c9d2" />
    </Card>
  );
}

function Choices() {
  const [isOn, setIsOn] = useState(true);
  const [view, setView] = useState<'list' | 'timeline'>('list');
  const [tab, setTab] = useState<'crontab' | 'shell'>('crontab');
  return (
    <Card title={t.choices}>
      <SettingRow title={t.setting} lead={t.settingLead}>
        <Switch label={t.setting} isOn={isOn} onChange={setIsOn} />
      </SettingRow>
      <Row>
        <Checkbox label={t.box} defaultChecked />
        <Segments
          label={t.view}
          value={view}
          onChange={setView}
          choices={[
            { value: 'list', label: t.list },
            { value: 'timeline', label: m.shell.timeline },
          ]}
        />
      </Row>
      <Tabs
        label={t.snippets}
        open={tab}
        onOpen={setTab}
        tabs={[
          { name: 'crontab', label: 'Crontab' },
          { name: 'shell', label: 'Shell' },
        ]}
      >
        <code className="text-12">{tab === 'crontab' ? t.crontab : t.shell}</code>
      </Tabs>
    </Card>
  );
}

function Inputs() {
  return (
    <Card title={t.inputs}>
      <div className="grid gap-4">
        <Field label={t.name} hint={t.nameHint} defaultValue="db-backup" />
        <Field label={t.slug} error={t.slugError} defaultValue="DB Backup" />
        <Select label={t.unit}>
          <option>{t.minutes}</option>
          <option>{t.hours}</option>
        </Select>
        <TextArea label={t.description} />
      </div>
    </Card>
  );
}

function Notes() {
  return (
    <Card title={t.notes}>
      <div className="grid gap-2.5">
        <Note>{t.note}</Note>
        <Note kind="late" action={<Button size="small">{m.errors.retry}</Button>}>
          {t.noteLate}
        </Note>
        <Note kind="down">{t.noteDown}</Note>
        <Note kind="up">{t.noteUp}</Note>
      </div>
    </Card>
  );
}

function Overlays() {
  const [shown, setShown] = useState<'dialog' | 'sheet' | null>(null);
  return (
    <Card title={t.overlays}>
      <Row>
        <Button onClick={() => setShown('dialog')}>{t.dialog}</Button>
        <Button onClick={() => setShown('sheet')}>{t.sheet}</Button>
        <Menu className="h-8 rounded-control border border-line-2 px-3 font-medium shadow-1" button={t.menu}>
          <MenuItem onSelect={() => tell(t.done)}>{m.checkActs.menu.pause}</MenuItem>
          <MenuLine />
          <MenuItem isDangerous onSelect={() => tell(t.done)}>
            {t.delete}
          </MenuItem>
        </Menu>
      </Row>
      <Row>
        <Button onClick={() => tellWithUndo(t.paused, () => tell(t.done))}>{t.toast}</Button>
        <Button onClick={() => tellError(t.failed)}>{t.errorToast}</Button>
      </Row>
      {shown !== null && (
        <Dialog title={t.question} shape={shown} onClose={() => setShown(null)}>
          <p className="text-ink-2">{t.nothingLead}</p>
          <DialogActions>
            <Button onClick={() => setShown(null)}>{m.controls.keep}</Button>
          </DialogActions>
        </Dialog>
      )}
    </Card>
  );
}
