import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly text: () => string | undefined
  readonly testid?: string
  readonly disabled?: boolean
}

/** Text for the reader to copy by hand, where the browser gives pages no clipboard. */
export const byHand = signal<string | undefined>(undefined)

export function CopyButton({ label, text, testid, disabled }: Props) {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), 1600)
    return () => clearTimeout(timer)
  }, [done])
  const copy = async () => {
    const value = text()
    if (value === undefined) return
    try {
      await navigator.clipboard.writeText(value)
      setDone(true)
    } catch {
      byHand.value = value
    }
  }
  return (
    <button type="button" class="copy" data-testid={testid} disabled={disabled} onClick={copy}>
      <span aria-live="polite">{done ? 'Copied' : label}</span>
    </button>
  )
}

export function CopyByHand() {
  const dialog = useRef<HTMLDialogElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const text = byHand.value
  useEffect(() => {
    if (text === undefined) return
    dialog.current?.showModal()
    area.current?.select()
  }, [text])
  if (text === undefined) return null
  return (
    <dialog ref={dialog} class="by-hand" aria-label="Copy by hand" onClose={() => (byHand.value = undefined)}>
      <p>This browser gives the page no clipboard. The text is selected: copy it from here.</p>
      <textarea ref={area} readOnly rows={10} value={text} />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
