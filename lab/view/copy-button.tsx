import { signal } from './signals'

interface Props {
  readonly id: string
  readonly label: string
  readonly text: () => string | undefined
  readonly disabled?: boolean
}

/** The button that has just copied something. */
const copied = signal<string | undefined>(undefined)
/** Text for the reader to copy by hand, where the browser gives pages no clipboard. */
const byHand = signal<string | undefined>(undefined)

export function CopyButton({ id, label, text, disabled }: Props) {
  const copy = async () => {
    const value = text()
    if (value === undefined) return
    try {
      await navigator.clipboard.writeText(value)
      copied.value = id
      setTimeout(() => {
        if (copied.value === id) copied.value = undefined
      }, 1600)
    } catch {
      byHand.value = value
    }
  }
  return (
    <button type="button" class="copy" data-testid={id} disabled={disabled} onClick={copy}>
      <span aria-live="polite">{copied.value === id ? 'Copied' : label}</span>
    </button>
  )
}

export function CopyByHand() {
  if (byHand.value === undefined) return null
  return (
    <dialog
      ref={showOnce}
      class="by-hand"
      aria-label="Copy by hand"
      onClose={() => {
        byHand.value = undefined
      }}
    >
      <p>This browser gives the page no clipboard. The text is selected: copy it from here.</p>
      <textarea readOnly rows={10} value={byHand.value} />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}

function showOnce(dialog: HTMLDialogElement | null): void {
  if (!dialog) return
  dialog.showModal()
  dialog.querySelector('textarea')!.select()
}
