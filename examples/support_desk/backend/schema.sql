CREATE TABLE customers (
    id TEXT PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT NOT NULL UNIQUE,
    phone TEXT NOT NULL, birth_date TEXT NOT NULL, tier TEXT NOT NULL,
    street TEXT NOT NULL, city TEXT NOT NULL, region TEXT NOT NULL, postcode TEXT NOT NULL, country TEXT NOT NULL
);
CREATE TABLE payment_methods (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers (id), kind TEXT NOT NULL,
    last4 TEXT, balance INTEGER
);
CREATE TABLE products (id TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL);
CREATE TABLE variants (
    id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products (id),
    options TEXT NOT NULL, price INTEGER NOT NULL, stock INTEGER NOT NULL
);
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers (id), status TEXT NOT NULL,
    placed_at TEXT NOT NULL, shipped_at TEXT, delivered_at TEXT, tracking_number TEXT, cancel_reason TEXT,
    street TEXT NOT NULL, city TEXT NOT NULL, region TEXT NOT NULL, postcode TEXT NOT NULL, country TEXT NOT NULL
);
CREATE TABLE order_items (
    id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id),
    variant_id TEXT NOT NULL REFERENCES variants (id), price INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE TABLE payments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, order_id TEXT NOT NULL REFERENCES orders (id),
    payment_id TEXT NOT NULL, kind TEXT NOT NULL, amount INTEGER NOT NULL
);
CREATE TABLE returns (
    id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), payment_id TEXT NOT NULL,
    amount INTEGER NOT NULL, status TEXT NOT NULL, requested_at TEXT NOT NULL
);
CREATE TABLE return_items (return_id TEXT NOT NULL REFERENCES returns (id), item_id TEXT NOT NULL);
CREATE TABLE refunds (
    id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), payment_id TEXT NOT NULL,
    amount INTEGER NOT NULL, reason TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE TABLE tickets (
    id TEXT PRIMARY KEY, queue TEXT NOT NULL, summary TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE TABLE counters (kind TEXT PRIMARY KEY, value INTEGER NOT NULL);
