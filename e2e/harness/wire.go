package harness

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"curfew/e2e/cluster"
)

// Wire is a TCP proxy between one Curfew and the API server: a network that can
// break. It passes TLS through untouched.
type Wire struct {
	target   string
	listener net.Listener

	mu          sync.Mutex
	next        Trouble // of connections to come
	connections map[*Connection]struct{}
	closed      bool
}

// Trouble is what ails a connection. The zero Trouble is none.
type Trouble struct {
	// Delay is how much later everything arrives, in both directions.
	Delay time.Duration
	// Rate is how many bytes a second pass, in each direction; 0: all.
	Rate int
	// Stall holds everything back, and nothing is lost: when the trouble is
	// over, it arrives.
	Stall bool
	// Swallow loses everything and says nothing, as when the other end or a
	// firewall on the way has forgotten the connection. A connection that has
	// lost anything never recovers.
	Swallow bool
	// ResetAfter resets the connection when so many bytes of answers have
	// passed; 0: never.
	ResetAfter int
	// Refuse resets connections as they are made.
	Refuse bool
}

// NewWire starts a TCP proxy to the API server, without any trouble.
func NewWire(c *cluster.Cluster) (*Wire, error) {
	target, err := url.Parse(c.Config.Host)
	if err != nil {
		return nil, err
	}
	// The API server's certificate is for this address, whatever the port.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{target: target.Host, listener: listener, connections: map[*Connection]struct{}{}}
	go w.accept()
	return w, nil
}

// WriteKubeconfig is like the function of that name, with the wire in between.
func (w *Wire) WriteKubeconfig(ctx context.Context, c *cluster.Cluster, namespace, path string) error {
	return writeKubeconfig(ctx, c, "https://"+w.listener.Addr().String(), namespace, path)
}

// All gives a trouble to every connection there is and will be.
func (w *Wire) All(t Trouble) {
	w.Next(t)
	w.Present(t)
}

// Next gives a trouble to the connections that will be made.
func (w *Wire) Next(t Trouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = t
}

// Present gives a trouble to the connections there are.
func (w *Wire) Present(t Trouble) {
	for _, c := range w.Connections() {
		c.Set(t)
	}
}

// Cut resets every connection there is.
func (w *Wire) Cut() {
	for _, c := range w.Connections() {
		c.reset()
	}
}

// Connections are those there are.
func (w *Wire) Connections() []*Connection {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*Connection
	for c := range w.connections {
		all = append(all, c)
	}
	return all
}

// Close ends the proxy and every connection through it.
func (w *Wire) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	_ = w.listener.Close()
	w.Cut()
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.connect(client.(*net.TCPConn))
	}
}

func (w *Wire) connect(client *net.TCPConn) {
	c := &Connection{wire: w, client: client, ended: make(chan struct{}), changed: make(chan struct{})}
	w.mu.Lock()
	c.trouble = w.next
	refuse := w.next.Refuse || w.closed
	if !refuse {
		w.connections[c] = struct{}{}
	}
	w.mu.Unlock()
	if refuse {
		reset(client)
		return
	}
	server, err := net.Dial("tcp", w.target)
	if err != nil { // the API server is down
		c.reset()
		return
	}
	c.mu.Lock()
	c.server = server.(*net.TCPConn)
	c.mu.Unlock()
	select {
	case <-c.ended: // meanwhile
		reset(c.server)
		return
	default:
	}
	go c.pump(c.server, client, true)
	go c.pump(client, c.server, false)
}

// Connection is one connection through a Wire.
type Connection struct {
	wire   *Wire
	client *net.TCPConn

	mu      sync.Mutex
	server  *net.TCPConn // nil until there is one
	trouble Trouble
	changed chan struct{} // closed and replaced when trouble has changed
	over    sync.Once
	ended   chan struct{}
}

// Set gives a trouble to this connection.
func (c *Connection) Set(t Trouble) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Swallow = t.Swallow || c.trouble.Swallow // what is lost is lost
	c.trouble = t
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Connection) now() (Trouble, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble, c.changed
}

// pump passes on what comes from one side to the other.
func (c *Connection) pump(from, to *net.TCPConn, answers bool) {
	buffer := make([]byte, 32<<10)
	passed := 0
	for {
		n, err := from.Read(buffer)
		trouble, changed := c.now()
		for trouble.Stall && !trouble.Swallow {
			select {
			case <-changed:
				trouble, changed = c.now()
			case <-c.ended:
				return
			}
		}
		switch {
		case trouble.Swallow:
			if err == nil {
				continue
			}
			// Nor is it heard that one side has gone. It ends with the other or the wire.
			return
		case n > 0:
			text := buffer[:n]
			broken := answers && trouble.ResetAfter > 0 && passed+n >= trouble.ResetAfter
			if broken {
				text = text[:max(0, trouble.ResetAfter-passed)]
			}
			passed += n
			if !c.write(to, text, trouble) || broken {
				c.reset()
				return
			}
		}
		if err != nil { // TLS has no use for a connection that is open in one direction
			c.reset()
			return
		}
	}
}

// write writes slowly where that is the trouble. It reports false if it cannot.
func (c *Connection) write(to io.Writer, text []byte, trouble Trouble) bool {
	if !c.sleep(trouble.Delay) {
		return false
	}
	for len(text) > 0 {
		piece := text
		if trouble.Rate > 0 {
			const tick = 50 * time.Millisecond
			piece = text[:min(len(text), max(1, trouble.Rate/int(time.Second/tick)))]
			if !c.sleep(tick) {
				return false
			}
		}
		if _, err := to.Write(piece); err != nil {
			return false
		}
		text = text[len(piece):]
	}
	return true
}

func (c *Connection) sleep(d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-c.ended:
		return false
	}
}

// reset ends both sides at once.
func (c *Connection) reset() {
	c.over.Do(func() {
		close(c.ended)
		c.wire.mu.Lock()
		delete(c.wire.connections, c)
		c.wire.mu.Unlock()
		reset(c.client)
		c.mu.Lock()
		server := c.server
		c.mu.Unlock()
		if server != nil {
			reset(server)
		}
	})
}

// reset ends a connection with a reset rather than in good order.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}
