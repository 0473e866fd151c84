export function Notes() {
  return (
    <section class="notes" aria-label="What can be known beforehand">
      <div>
        <h2>What can be known beforehand</h2>
        <p>
          How many partitions each consumer gets, how many move, and which stay: these follow from the group and its
          history, and a live group does the same.
        </p>
      </div>
      <div>
        <h2>What cannot</h2>
        <p>
          <em>Which</em> consumer gets which share. Ties go by member id, and a broker makes those up: client id and a
          random UUID, anew at every start. Consumers that start together join in any order, and in one rebalance or in
          several. Here a consumer’s name is its member id, and a step is one rebalance, so that a scenario can be
          repeated.
        </p>
      </div>
      <div>
        <h2>How to read it</h2>
        <p>
          Solid partitions have just moved, dashed ones wait for their last owner, pale ones stayed. Each strategy goes
          on from its own last assignment. Needed is the least that a plan of the same balance would have moved from
          there.
        </p>
        <p>
          <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd> to either end, <kbd>space</kbd> plays. On a
          board, arrow keys go from partition to partition, <kbd>Enter</kbd> asks why, <kbd>Esc</kbd> closes.
        </p>
      </div>
    </section>
  )
}
